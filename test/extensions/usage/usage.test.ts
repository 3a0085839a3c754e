import { describe, expect, it } from 'vitest';
import type { LoggedCall } from '../../../extensions/usage/calls.ts';
import { summariseUsage, toQuerySet } from '../../../extensions/usage/usage.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 22, 0, minute)).toISOString();
const search = (
  minute: number,
  query: string,
  hits: readonly string[],
  rest: Partial<LoggedCall> = {},
): LoggedCall => ({
  time: at(minute),
  who: 'local',
  call: 'search',
  outcome: 'ok',
  query,
  hits,
  weak: false,
  ...rest,
});
const load = (minute: number, skill: string, who = 'local'): LoggedCall => ({
  time: at(minute),
  who,
  call: 'load',
  outcome: 'ok',
  skill,
});

/** Texts with the same first letter are the same need. */
const embedder = {
  id: 'test',
  dimensions: 26,
  async embedPassages() {
    return new Float32Array();
  },
  async embedQuery(text: string) {
    const vector = new Float32Array(26);
    vector[text.toLowerCase().charCodeAt(0) - 97] = 1;
    return vector;
  },
};

const CALLS = [
  search(0, 'ship it', ['a', 'b']),
  load(1, 'b'),
  search(2, 'Ship  it', ['a', 'b']),
  search(3, 'send the box', ['a', 'c'], { who: 'ana' }),
  load(4, 'c'),
  load(5, 'c', 'ana'),
  search(6, 'paint', ['a'], { weak: true }),
  search(7, 'x', [], { outcome: 'INTERNAL' }),
];

describe('usage', () => {
  it('counts needs, their weak answers and the loads that followed', async () => {
    const { searches, loads, loaded, days, needs, weak } = await summariseUsage(
      CALLS,
      ['a', 'b', 'c', 'd'],
      embedder,
    );
    expect({ searches, loads }).toEqual({ searches: 4, loads: 3 });
    expect(loaded).toEqual([
      { id: 'c', times: 2 },
      { id: 'b', times: 1 },
    ]);
    expect(days).toEqual([{ day: '2026-11-22', searches: 4, loads: 3, weak: 1 }]);
    // Ana's load of c follows her search; the load of c by another caller follows none.
    expect(needs).toEqual([
      { request: 'ship it', times: 3, weak: 0, loaded: 2, requests: ['ship it', 'send the box'], fit: null },
      { request: 'paint', times: 1, weak: 1, loaded: 0, requests: ['paint'], fit: null },
    ]);
    expect(weak.map(({ request }) => request)).toEqual(['paint']);
  });

  it('lists skills that nobody finds, and those that stood first three times and were never loaded', async () => {
    const { neverFound, neverLoaded } = await summariseUsage(CALLS, ['a', 'b', 'c', 'd'], null);
    expect(neverFound).toEqual(['d']);
    // Four times first; one of these answers was weak.
    expect(neverLoaded).toEqual([{ id: 'a', first: 3, found: 4 }]);
  });

  it('does not accuse the neighbours of the first, unless nobody chose them over twenty searches', async () => {
    const searches = (times: number) =>
      Array.from({ length: times }, (_, minute) => search(minute, `wish ${minute}`, ['a', 'b']));
    const of = async (calls: readonly LoggedCall[]) =>
      (await summariseUsage(calls, ['a', 'b'], null)).neverLoaded;
    expect(await of([...searches(19), load(20, 'a')])).toEqual([]);
    expect(await of([...searches(20), load(21, 'a')])).toEqual([{ id: 'b', first: 0, found: 20 }]);
  });

  it('groups only equal requests without a model', async () => {
    expect((await summariseUsage(CALLS, [], null)).needs.map(({ times }) => times)).toEqual([2, 1, 1]);
  });

  it('makes a query set, judged by what was loaded', () => {
    const { queries, qrels } = toQuerySet(CALLS);
    expect(
      queries
        .trim()
        .split('\n')
        .map((row) => JSON.parse(row)),
    ).toEqual([
      { _id: 'u0001', text: 'ship it', style: 'use', times: 2, weak: 0 },
      { _id: 'u0002', text: 'send the box', style: 'use', times: 1, weak: 0 },
      { _id: 'u0003', text: 'paint', style: 'use', times: 1, weak: 1 },
    ]);
    expect(qrels).toBe('query-id\tcorpus-id\tscore\nu0001\tb\t1\nu0002\tc\t1\n');
  });

  it('leaves out loads long after the search', () => {
    expect(toQuerySet([search(0, 'ship', ['a']), load(40, 'a')]).qrels).toBe('query-id\tcorpus-id\tscore\n');
  });
});
