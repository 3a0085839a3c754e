import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEvalFile, readRequests, requestsOfKeys } from '../../../src/skills/requests.ts';

const read = (text: string, path: string) => readRequests(Buffer.from(text), path);
const requestsIn = (text: string, path: string) => read(text, path).requests;

describe('requests in evals of a skill', () => {
  it.each([
    ['evals.json', '{"skill_name": "a", "evals": [{"id": 1, "prompt": "Do  this", "expected_output": "x"}]}'],
    [
      'trigger.json',
      '[{"query": "Do this", "should_trigger": true}, {"query": "that", "should_trigger": false}]',
    ],
    ['queries.jsonl', '{"input": "Do this"}\n\n{"input": "Do this"}\n'],
    ['evals.yaml', 'tests:\n  - request: Do this\n'],
    ['list.yml', '- Do this\n- question: Do this\n'],
  ])('are read from %s', (path, text) => {
    expect(read(text, path)).toEqual({ requests: ['Do this'], diagnostics: [] });
  });

  it.each(['null', '{"evals": 3}', '[1, null, {"other": "x"}, {"prompt": ""}]'])('are none in %s', (text) => {
    expect(read(text, 'evals.json')).toEqual({ requests: [], diagnostics: [] });
  });

  it.each([
    ['{', 'evals.json'],
    ['['.repeat(100_000), 'evals.json'],
    ['{"prompt": "a"}\nnot JSON', 'queries.jsonl'],
    ['a: [', 'evals.yaml'],
    ['- a\n'.repeat(20_000), 'evals.yaml'],
    ['a: &a [x]\nevals: [*a, *a]', 'evals.yaml'],
  ])('are none in a broken file, and a diagnostic says so (%#)', (text, path) => {
    const { requests, diagnostics } = read(text, path);
    expect(requests).toEqual([]);
    expect(diagnostics.map((one) => [one.id, one.path])).toEqual([['requests-unreadable', path]]);
  });

  it('are read in whatever encoding the file is', () => {
    const text = '\uFEFF["Brüh ihn auf"]';
    for (const encoding of ['utf8', 'utf16le'] as const)
      expect(readRequests(Buffer.from(text, encoding), 'evals.json').requests).toEqual(['Brüh ihn auf']);
  });

  it('are at most 500 of a file, in its order', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `request ${at}`);
    expect(requestsIn(JSON.stringify(many), 'evals.json')).toEqual(many.slice(0, 500));
  });

  it('never throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json()),
        fc.constantFrom('a.json', 'a.yaml', 'a.jsonl'),
        (text, path) => {
          for (const request of requestsIn(text, path)) expect(request.trim()).not.toBe('');
        },
      ),
    );
  });

  it('are looked for in evals/ alone', () => {
    expect(['evals/evals.json', 'eval/a.yaml', 'evals/deep/a.jsonl'].every(isEvalFile)).toBe(true);
    expect(['references/evals/a.json', 'evals/run.py', 'evals.json'].some(isEvalFile)).toBe(false);
  });
});

describe('requests in front matter', () => {
  it('are lists of texts, at the top level and in metadata', () => {
    expect(
      requestsOfKeys({
        examples: ['Do this', 3],
        metadata: { representativeQueries: ['Do  that', 'Do this'] },
      }),
    ).toEqual(['Do this', 'Do that']);
  });

  it('are lines of a text in metadata, which holds texts alone', () => {
    expect(requestsOfKeys({ metadata: { examples: 'Do this\nDo that\n' } })).toEqual(['Do this', 'Do that']);
  });

  it('are none where there are none', () => {
    expect(requestsOfKeys({ name: 'a', metadata: 'x' })).toEqual([]);
  });
});
