import { describe, expect, it } from 'vitest';
import { History, type Left, type Load } from '../../../extensions/learning/history.ts';
import { Signal } from '../../../extensions/learning/signal.ts';
import type { IndexDocument } from '../../../index/passage.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from '../../src/search/small-index.ts';

const NOW = 1_790_000_000;
const DAY = 86_400;
const apply = (history: History, event: Load | Left) => history.set(history.after(event)!);
const skills = (...ids: string[]): IndexDocument[] => ids.map((id) => toyDocument(id, `about ${id}`));

async function signalOver(
  uses: readonly { skill: string; request: string; who?: string; at?: number }[],
  { minPrincipals = 3, embedder = toyEmbedder() as ReturnType<typeof toyEmbedder> | null } = {},
) {
  const history = new History();
  for (const { who = 'local', at = NOW, ...load } of uses) apply(history, { ...load, who, at });
  const reader = await indexOf(skills('pdf', 'word', 'git'));
  const store = { history, now: NOW, refresh: () => {} };
  const signal = new Signal({ store, embedder, minPrincipals });
  const of = async (query: string, over = reader) => {
    const words = over.lexical.prepare(query);
    const vector = embedder === null ? null : await embedder.embedQuery(query);
    const ordinals = over.ordinalsByKey();
    const values = await signal.of({ words, vector }, over, ordinals);
    return (
      values && Object.fromEntries(Array.from(ordinals, (ordinal, at) => [over.key(ordinal), values[at]!]))
    );
  };
  return { of, reader, history, store, signal };
}

describe('the learned signal', () => {
  it('is highest for the skill that was loaded for a similar request', async () => {
    const { of } = await signalOver([
      { skill: 'pdf', request: 'fill in a tax form' },
      { skill: 'git', request: 'undo the last commit' },
    ]);
    const values = (await of('fill a form'))!;
    expect(values.pdf).toBeGreaterThan(0.5);
    expect(values.pdf).toBeGreaterThan(2 * values.git!);
    expect(values.word).toBe(0);
  });

  it('is 1.15 for the same request: cosine 1, and 0.15 for common words', async () => {
    const { of } = await signalOver([{ skill: 'pdf', request: 'fill form' }]);
    expect((await of('fill form'))!.pdf).toBeCloseTo(1.15, 2);
  });

  it('compares words alone without vectors: two of three words of both', async () => {
    const { of } = await signalOver([{ skill: 'pdf', request: 'fill tax form' }], { embedder: null });
    // Unknown words weigh the same: sqrt(2/3 × 2/3).
    expect((await of('fill insurance form'))!.pdf).toBeCloseTo(2 / 3, 2);
  });

  it('is null without a history of these skills', async () => {
    const { of } = await signalOver([{ skill: 'gone', request: 'fill form' }]);
    expect(await of('fill form')).toBeNull();
  });

  it('takes in what is learned later', async () => {
    const { of, history } = await signalOver([{ skill: 'pdf', request: 'fill form' }]);
    await of('fill form');
    for (let at = 0; at < 600; at += 1)
      apply(history, { skill: `skill-${at}`, request: `need ${at}`, who: 'local', at: NOW });
    apply(history, { skill: 'git', request: 'undo commit', who: 'local', at: NOW });
    expect((await of('undo commit'))!.git).toBeCloseTo(1.15, 2);
    expect((await of('fill form'))!.pdf).toBeCloseTo(1.15, 2);
  });

  it('is right for each of two searches at once, between which the file was replaced', async () => {
    const before = [{ skill: 'word', request: 'write a letter' }];
    const { store, signal, reader } = await signalOver([...before, { skill: 'pdf', request: 'fill form' }]);
    const asked = async (query: string) => ({
      words: reader.lexical.prepare(query),
      vector: await toyEmbedder().embedQuery(query),
    });
    const [fill, undo] = [await asked('fill form'), await asked('undo commit')];
    const ordinalOf = (id: string) => Uint32Array.of(reader.ordinalOf(id)!);
    const first = signal.of(fill, reader, ordinalOf('pdf'));
    store.history = new History();
    apply(store.history, { skill: 'git', request: 'undo commit', who: 'local', at: NOW });
    const second = signal.of(undo, reader, ordinalOf('git'));
    expect((await first)![0]).toBeCloseTo(1.15, 2);
    expect((await second)![0]).toBeCloseTo(1.15, 2);
  });

  it('decays by the day', async () => {
    const { of } = await signalOver([{ skill: 'pdf', request: 'fill form', at: NOW - 90 * DAY }]);
    expect((await of('fill form'))!.pdf).toBeCloseTo(1.15 / 2, 1);
  });
});

describe('several principals', () => {
  const taught = (names: readonly string[]) =>
    names.map((who) => ({ skill: 'pdf', request: 'fill form', who }));

  it('count from the least number on, and each of them once', async () => {
    const two = await signalOver([
      ...taught(['ann', 'bob']),
      { skill: 'pdf', request: 'fill the form', who: 'bob' },
    ]);
    expect((await two.of('fill form'))!.pdf).toBe(0);
    const three = await signalOver(taught(['ann', 'bob', 'cid']));
    expect((await three.of('fill form'))!.pdf).toBeCloseTo(1.15, 2);
  });

  it('count as much as the least similar of the first that many', async () => {
    const { of } = await signalOver([
      ...taught(['ann', 'bob']),
      { skill: 'pdf', request: 'undo commit', who: 'cid' },
    ]);
    const { of: alone } = await signalOver([{ skill: 'pdf', request: 'undo commit' }]);
    expect((await of('fill form'))!.pdf).toBeCloseTo((await alone('fill form'))!.pdf!, 5);
  });

  it('cannot push a skill down: their words against it only cancel their own', async () => {
    const { of, history } = await signalOver(taught(['ann', 'bob', 'cid', 'eve']));
    for (let at = 0; at < 5; at += 1)
      apply(history, { skill: 'pdf', request: 'fill form', who: 'eve', instead: null, at: NOW });
    expect((await of('fill form'))!.pdf).toBeCloseTo(1.15, 2);
  });
});

it('gives a restricted reader the same values as an index of those skills alone', async () => {
  const uses = [
    { skill: 'pdf', request: 'fill in a tax form' },
    { skill: 'git', request: 'fill a form of the tax office' },
  ];
  const whole = await signalOver(uses);
  const ordinals = whole.reader.ordinalsByKey();
  const accept = new Uint8Array(ordinals.length);
  for (const ordinal of ordinals) if (whole.reader.key(ordinal) !== 'git') accept[ordinal] = 1;
  const restricted = whole.reader.restrictedTo(accept);
  const alone = await indexOf(skills('pdf', 'word'));
  const other = await signalOver(uses.slice(0, 1));
  expect(await whole.of('fill a tax form', restricted)).toEqual(await other.of('fill a tax form', alone));
});
