import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEvalFile, requestsIn } from '../../../extensions/lab/own-evals.ts';

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
    expect(requestsIn(text, path)).toEqual(['Do this']);
  });

  it.each(['{', 'null', '{"evals": 3}', '[1, null, {"other": "x"}, {"prompt": ""}]'])(
    'are none in %s',
    (text) => {
      expect(requestsIn(text, 'evals.json')).toEqual([]);
    },
  );

  it('never throws', () => {
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
