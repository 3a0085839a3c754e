import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HALF_LIFE, History, type Left, type Load, weighUse } from '../../../extensions/learning/history.ts';
import type { Use } from '../../../extensions/learning/lines.ts';

const DAY = 86_400;
const NOW = 1_790_000_000;

const load = (skill: string, request: string, { who = 'local', at = NOW } = {}): Load => ({
  skill,
  request,
  who,
  at,
});
const left = (skill: string, request: string, instead: string | null): Left => ({
  ...load(skill, request),
  instead,
});
const historyOf = (events: readonly (Load | Left)[], mostUses?: number) => {
  const history = new History(mostUses);
  for (const event of events) {
    const use = history.after(event);
    if (use !== null) history.set(use);
  }
  return history;
};
const usesOf = (history: History, skill: string): Use[] =>
  [...history.uses()].filter((use) => use.skill === skill);
const weights = (history: History, at = NOW, isThere: (id: string) => boolean = () => true) =>
  usesOf(history, 'pdf').map((use) => weighUse(use, at, isThere));

describe('the weight of a use', () => {
  it('halves with each half-life, and a clock that was put back changes nothing', () => {
    const history = historyOf([load('pdf', 'fill')]);
    expect(weights(history)).toEqual([1]);
    expect(weights(history, NOW + HALF_LIFE)[0]).toBeCloseTo(0.5);
    expect(weights(history, NOW + 2 * HALF_LIFE)[0]).toBeCloseTo(0.25);
    expect(weights(history, NOW - DAY)).toEqual([1]);
  });

  it('is at most 1, and negative where the skill was left as often as it was loaded', () => {
    expect(weights(historyOf([load('pdf', 'fill'), load('pdf', 'fill')]))).toEqual([1]);
    // 1 load, which being left counts −2: 1 − 2 = −1.
    expect(weights(historyOf([load('pdf', 'fill'), left('pdf', 'fill', null)]))).toEqual([-1]);
    // 3 loads, one of them left: 3 − 2 = 1.
    const often = Array.from({ length: 3 }, () => load('pdf', 'fill'));
    expect(weights(historyOf([...often, left('pdf', 'fill', null)]))).toEqual([1]);
  });

  it('adds up what is said again: 1 load half a life ago counts 0.5, with one now 1.5, less 2 × 1', () => {
    const old = load('pdf', 'fill', { at: NOW - HALF_LIFE });
    const [use] = usesOf(historyOf([old, load('pdf', 'Fill'), left('pdf', 'fill', 'word')]), 'pdf');
    expect(use).toMatchObject({ used: 1.5, left: [['word', 1]], at: NOW });
    expect(weighUse(use!, NOW, () => true)).toBeCloseTo(-0.5);
  });

  it('does not depend on a preferred skill that is hidden', () => {
    const history = historyOf([load('pdf', 'fill'), left('pdf', 'fill', 'secret')]);
    expect(weights(history)).toEqual([-1]);
    expect(weights(history, NOW, (id) => id !== 'secret')).toEqual([1]);
  });
});

it('nothing that was never loaded can be left', () => {
  expect(historyOf([left('pdf', 'fill', null)]).size).toBe(0);
});

it('what was preferred is remembered for 16 skills', () => {
  const others = Array.from({ length: 20 }, (_, at) => left('pdf', 'fill', `skill-${at}`));
  expect(usesOf(historyOf([load('pdf', 'fill'), ...others]), 'pdf')[0]!.left).toHaveLength(16);
});

describe('a full history', () => {
  it('takes from the principal with most, so one principal cannot push out others', () => {
    const others = ['ann', 'bob', 'cid'].map((who) => load('pdf', `need of ${who}`, { who }));
    const flood = Array.from({ length: 500 }, (_, at) => load('pdf', `flood ${at}`, { who: 'eve' }));
    const names = usesOf(historyOf([...others, ...flood]), 'pdf').map(({ who }) => who);
    expect(names).toHaveLength(64);
    expect(names).toEqual(expect.arrayContaining(['ann', 'bob', 'cid']));
    const spread = flood.map((event, at) => ({ ...event, skill: `skill-${at}` }));
    const all = historyOf([...others, ...spread], 50);
    expect(all.size).toBeLessThanOrEqual(50);
    expect(usesOf(all, 'pdf')).toHaveLength(3);
  });

  it('takes the weakest first', () => {
    const old = load('pdf', 'old', { at: NOW - HALF_LIFE });
    const fresh = Array.from({ length: 64 }, (_, at) => load('pdf', `fresh ${at}`));
    const requests = usesOf(historyOf([old, ...fresh]), 'pdf').map(({ request }) => request);
    expect(requests).toHaveLength(64);
    expect(requests).not.toContain('old');
  });
});

describe('uses', () => {
  const skill = fc.constantFrom('pdf', 'word', 'git');
  const who = fc.constantFrom('local', 'ann', 'bob');
  const request = fc.constantFrom('fill', 'Fill', 'merge', 'undo');
  const at = fc.integer({ min: NOW - 100 * DAY, max: NOW });
  const event: fc.Arbitrary<Load | Left> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ skill, request, who, at }) },
    fc.record({ skill, request, who, instead: fc.option(skill), at }),
  );
  const shown = (history: History) => [history.size, [...history.uses()]];

  it('of a history make the same history again, also twice; its size is their number', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), who, (events, forgotten) => {
        const history = historyOf(events);
        history.forget(forgotten);
        expect(history.size).toBe([...history.uses()].length);
        expect([...history.uses()].filter((use) => use.who === forgotten)).toEqual([]);
        const again = new History();
        for (const use of [...history.uses(), ...history.uses()]) again.set(use);
        expect(shown(again)).toEqual(shown(history));
      }),
    );
  });
});
