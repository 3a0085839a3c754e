import { describe, expect, it } from 'vitest';
import { splitByTime } from '../../../src/learning/from-use.ts';
import { History } from '../../../src/learning/history.ts';
import { exported, imported } from '../../../src/learning/public.ts';

const DAY = 86_400;
const HALF_LIFE = 90 * DAY;
const NOW = 1_790_000_000;

const historyOf = (uses: readonly (readonly [skill: string, request: string, day: number])[]) => {
  const history = new History(HALF_LIFE);
  for (const [skill, request, day] of uses)
    history.apply({
      kind: 'use',
      skill,
      name: skill,
      digest: 'd',
      request,
      who: 'local',
      at: NOW + day * DAY,
    });
  return history;
};

describe('an export', () => {
  it('makes the same history where it is imported, also twice', () => {
    const history = historyOf([
      ['pdf', 'fill a form', 0],
      ['git', 'undo', 1],
      ['pdf', 'fill a form', 2],
    ]);
    const text = exported(history);
    const copy = new History(HALF_LIFE);
    for (const record of [...imported(text, 'uses.jsonl'), ...imported(text, 'uses.jsonl')])
      copy.apply(record);
    expect(exported(copy)).toBe(text);
  });

  it('is refused with the number of a line that is none, and loses secrets that were added', () => {
    const text = exported(historyOf([['pdf', 'fill a form', 0]]));
    expect(() => imported(`${text}\n{"kind":"use"}\n`, 'uses.jsonl')).toThrow(
      'Line 3 of uses.jsonl was not written by skillgate learned export.',
    );
    const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
    expect(imported(text.replace('a form', token), 'uses.jsonl')[0]!.request).toBe('fill ***');
  });
});

describe('requests held apart by time', () => {
  it('are those of the last part; nothing of them was learned', () => {
    const early = Array.from({ length: 14 }, (_, at) => ['pdf', `early ${at}`, at] as const);
    const late = Array.from({ length: 6 }, (_, at) => ['git', `late ${at}`, 20 + at] as const);
    const parts = splitByTime(historyOf([...early, ...late]), HALF_LIFE)!;
    expect(parts.since).toBe(NOW + 20 * DAY);
    expect(parts.asked.map(({ request }) => request)).toEqual(late.map(([, request]) => request));
    expect([...parts.history.skills.keys()]).toEqual(['pdf']);
    expect(parts.history.size).toBe(14);
  });

  it('are null where there are too few', () => {
    expect(splitByTime(historyOf([['pdf', 'one', 0]]), HALF_LIFE)).toBeNull();
    expect(splitByTime(historyOf([]), HALF_LIFE)).toBeNull();
  });

  it('leave out loads that did not help', () => {
    const uses = Array.from({ length: 20 }, (_, at) => ['pdf', `need ${at}`, at] as const);
    const history = historyOf(uses);
    history.apply({
      kind: 'left',
      skill: 'pdf',
      request: 'need 19',
      who: 'local',
      instead: null,
      at: NOW + 19 * DAY,
    });
    const parts = splitByTime(history, HALF_LIFE)!;
    expect(parts.asked.map(({ request }) => request)).toEqual([
      'need 14',
      'need 15',
      'need 16',
      'need 17',
      'need 18',
    ]);
  });
});
