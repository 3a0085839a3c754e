import { describe, expect, it } from 'vitest';
import { IndexError } from '#index';
import { codeOf } from '../../../src/cli/ending.ts';
import { CliError, EXIT } from '../../../src/cli/exit-codes.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';

describe('codeOf', () => {
  it.each([
    ['SKILL_UNKNOWN', EXIT.notFound],
    ['SKILL_AMBIGUOUS', EXIT.notFound],
    ['SKILL_GONE', EXIT.notFound],
    ['SECTION_UNKNOWN', EXIT.notFound],
    ['PATH_UNKNOWN', EXIT.notFound],
    ['PATH_REFUSED', EXIT.usage],
    ['LINES_INVALID', EXIT.usage],
    ['REQUEST_INVALID', EXIT.usage],
    ['FILE_BINARY', EXIT.failed],
    ['FILE_TOO_LARGE', EXIT.failed],
  ] as const)('%s ends with %d', (code, exit) => {
    expect(codeOf(new GatewayError(code, 'x'))).toBe(exit);
  });

  it('tells an index in use from one that cannot be written', () => {
    expect(codeOf(new IndexError('INDEX_LOCKED', 'x'))).toBe(EXIT.locked);
    expect(codeOf(new IndexError('INDEX_WRITE', 'x'))).toBe(EXIT.failed);
  });

  it('takes a command’s own code, and 1 for what nobody foresaw', () => {
    expect(codeOf(new CliError(EXIT.invalid, 'x'))).toBe(4);
    expect(codeOf(new Error('x'))).toBe(1);
    expect(codeOf('x')).toBe(1);
  });

  it('keeps the numbers that docs/cli.md promises', () => {
    expect(EXIT).toEqual({ ok: 0, failed: 1, usage: 2, notFound: 3, invalid: 4, locked: 5 });
  });
});
