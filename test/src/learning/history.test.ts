import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { History, type Use } from '../../../src/learning/history.ts';
import type { LearnedRecord } from '../../../src/learning/records.ts';

const DAY = 86_400;
const HALF_LIFE = 90 * DAY;
const NOW = 1_790_000_000;

const use = (skill: string, request: string, { who = 'local', at = NOW } = {}): LearnedRecord => ({
  kind: 'use',
  skill,
  name: skill,
  digest: 'd',
  request,
  who,
  at,
});
const left = (skill: string, request: string, instead: string | null): LearnedRecord => ({
  kind: 'left',
  skill,
  request,
  who: 'local',
  instead,
  at: NOW,
});
const historyOf = (records: readonly LearnedRecord[], mostUses?: number) => {
  const history = new History(HALF_LIFE, mostUses);
  for (const record of records) history.apply(record);
  return history;
};
const usesOf = (history: History, skill: string): Use[] =>
  [...(history.skills.get(skill)?.requests.values() ?? [])].flatMap(({ uses }) => [...uses.values()]);
const weights = (history: History, at = NOW, isThere: (id: string) => boolean = () => true) =>
  usesOf(history, 'pdf').map((one) => history.weightOf(one, at, isThere));

describe('the weight of a use', () => {
  it('halves with each half-life, and a clock that was put back changes nothing', () => {
    const history = historyOf([use('pdf', 'fill')]);
    expect(weights(history)).toEqual([1]);
    expect(weights(history, NOW + HALF_LIFE)[0]).toBeCloseTo(0.5);
    expect(weights(history, NOW + 2 * HALF_LIFE)[0]).toBeCloseTo(0.25);
    expect(weights(history, NOW - DAY)).toEqual([1]);
  });

  it('is at most 1, and negative where the skill was left as often as it was loaded', () => {
    expect(weights(historyOf([use('pdf', 'fill'), use('pdf', 'fill')]))).toEqual([1]);
    // 1 load, which being left counts −2: 1 − 2 = −1.
    expect(weights(historyOf([use('pdf', 'fill'), left('pdf', 'fill', null)]))).toEqual([-1]);
    // 3 loads, one of them left: 3 − 2 = 1.
    expect(weights(historyOf([...Array(3).fill(use('pdf', 'fill')), left('pdf', 'fill', null)]))).toEqual([
      1,
    ]);
  });

  it('does not depend on a preferred skill that is hidden', () => {
    const history = historyOf([use('pdf', 'fill'), left('pdf', 'fill', 'secret')]);
    expect(weights(history)).toEqual([-1]);
    expect(weights(history, NOW, (id) => id !== 'secret')).toEqual([1]);
  });
});

describe('a full history', () => {
  it('takes from the principal with most, so one principal cannot push out others', () => {
    const others = ['ann', 'bob', 'cid'].map((who) => use('pdf', `need of ${who}`, { who }));
    const flood = Array.from({ length: 500 }, (_, at) => use('pdf', `flood ${at}`, { who: 'eve' }));
    const names = usesOf(historyOf([...others, ...flood]), 'pdf').map(({ who }) => who);
    expect(names).toHaveLength(64);
    expect(names).toEqual(expect.arrayContaining(['ann', 'bob', 'cid']));
    const spread = flood.map((record, at) => ({ ...record, skill: `skill-${at}` }) as LearnedRecord);
    const all = historyOf([...others, ...spread], 50);
    expect(all.size).toBeLessThanOrEqual(50);
    expect(usesOf(all, 'pdf')).toHaveLength(3);
  });

  it('takes the weakest first', () => {
    const old = use('pdf', 'old', { at: NOW - HALF_LIFE });
    const fresh = Array.from({ length: 64 }, (_, at) => use('pdf', `fresh ${at}`));
    const requests = [
      ...historyOf([old, ...fresh])
        .skills.get('pdf')!
        .requests.keys(),
    ];
    expect(requests).toHaveLength(64);
    expect(requests).not.toContain('old');
  });
});

describe('records', () => {
  const skill = fc.constantFrom('pdf', 'word', 'git');
  const who = fc.constantFrom('local', 'ann', 'bob');
  const request = fc.constantFrom('fill', 'Fill', 'merge', 'undo');
  const at = fc.integer({ min: NOW - 100 * DAY, max: NOW });
  const record: fc.Arbitrary<LearnedRecord> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(skill, request, who, at).map(([s, r, w, t]) => use(s, r, { who: w, at: t })),
    },
    fc.record({ kind: fc.constant('left' as const), skill, request, who, instead: fc.option(skill), at }),
    fc.record({ kind: fc.constant('moved' as const), from: skill, to: skill }),
    fc.record({ kind: fc.constant('gone' as const), skill, at }),
    fc.record({ kind: fc.constant('forget' as const), skill, who }),
  );
  const shown = (history: History) =>
    JSON.stringify([
      [...history.records()].map((each) => JSON.stringify(each)).sort(),
      history.size,
      [...history.skills.values()].map(({ id, goneSince }) => [id, goneSince]).sort(),
    ]);

  it('of a history make the same history again', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 40 }), (records) => {
        const history = historyOf(records);
        expect(shown(historyOf([...history.records()]))).toBe(shown(history));
        // Reading an export twice changes nothing.
        expect(shown(historyOf([...history.records(), ...history.records()]))).toBe(shown(history));
      }),
    );
  });
});
