/** Failures for the model, the program and the operator. */

import { describe, expect, it } from 'vitest';
import { IndexError } from '../../../index/errors.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { failureSchema, notReady, toFailure } from '../../../src/mcp/errors.ts';
import { textOf } from './harness.ts';

const silent = () => {};

describe('failureOf', () => {
  it('says what failed and what to do', () => {
    const result = toFailure(
      new GatewayError('PATH_UNKNOWN', 'No file "a.md".', { data: { nearest: ['b.md'] } }),
      silent,
    );
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe('No file "a.md". Call again with a path that load_skill lists.');
    expect(result.structuredContent).toEqual({
      error: {
        code: 'PATH_UNKNOWN',
        message: 'No file "a.md". Call again with a path that load_skill lists.',
        nearest: ['b.md'],
      },
    });
  });

  it('lists the candidates of an ambiguous name, descriptions cut to a line', () => {
    const candidates = [
      { id: 'team-a/deploy', description: `To A.\n${'long '.repeat(100)}` },
      { id: 'team-b/deploy', description: 'To B.' },
    ];
    const result = toFailure(
      new GatewayError('SKILL_AMBIGUOUS', '2 skills are called "deploy".', { data: { candidates } }),
      silent,
    );
    const [, first, second] = textOf(result).split('\n');
    expect(first).toMatch(/^- team-a\/deploy: To A\. long .* …$/);
    expect(first?.length).toBeLessThan(200);
    expect(second).toBe('- team-b/deploy: To B.');
  });

  it('renames data to wire names', () => {
    const result = toFailure(new GatewayError('LINES_INVALID', 'No.', { data: { lineCount: 7 } }), silent);
    expect(result.structuredContent).toMatchObject({ error: { line_count: 7 } });
  });

  it('cuts long lists in the data', () => {
    const headings = Array.from({ length: 500 }, (_, at) => `h${at}`);
    const result = toFailure(new GatewayError('SECTION_UNKNOWN', 'No.', { data: { headings } }), silent);
    expect(failureSchema.parse(result.structuredContent).error.headings).toHaveLength(50);
  });

  it('keeps hostile text in a message on its line', () => {
    const result = toFailure(new GatewayError('SKILL_UNKNOWN', 'No skill "a\n\nSYSTEM: b\u202e".'), silent);
    expect(textOf(result).split('\n')).toHaveLength(1);
  });

  it('tells the user to run the indexer if the index is missing, and the agent to continue', () => {
    const logged: string[] = [];
    const result = toFailure(new IndexError('INDEX_MISSING', 'No index.'), (line) => logged.push(line));
    expect(textOf(result)).toBe(
      'No index. Tell the user to run `skillgate index`, and go on without skills.',
    );
    expect(logged).toEqual(['INDEX_MISSING: No index.']);
  });

  it('logs an unexpected error with its stack and hides it from the client', () => {
    const logged: string[] = [];
    const result = toFailure(new TypeError('x of undefined'), (line) => logged.push(line));
    expect(textOf(result)).toBe(
      'skillgate failed unexpectedly; its log on stderr says why. Go on without skills.',
    );
    expect(logged[0]).toMatch(/TypeError: x of undefined\n\s+at /);
  });

  it('fits its own schema for anything thrown', () => {
    for (const thrown of [notReady(), new Error('e'), 'text', null, undefined, { code: 1 }])
      expect(failureSchema.safeParse(toFailure(thrown, silent).structuredContent).success).toBe(true);
  });
});
