/**
 * Skills that collide: an agent could not tell from their names and descriptions which one to load, but their contents differ.
 * `tell-apart.ts` judges a pair; this file finds the pairs. Near-identical skills do not count: they fold into one hit.
 */

import { memoryDirectory } from '../../index/directory/memory.ts';
import type { IndexDocument } from '../../index/passage.ts';
import { Reader } from '../../index/reader/reader.ts';
import { SegmentWriter } from '../../index/segment/writer.ts';
import { IndexWriter } from '../../index/writer.ts';
import type { Diagnostic, Embedder } from '../../src/app/extension-api.ts';
import { candidatesFor, queryText } from '../../src/search/candidates.ts';
import { TWIN_SIMILARITY } from '../../src/search/copies.ts';
import { ranked } from '../../src/search/rank.ts';
import { entryAt, type Searchable } from '../../src/search/search.ts';
import { diagnose } from '../../src/skills/diagnostics.ts';
import { type Closeness, COLLIDES, TellApart } from './tell-apart.ts';

/** Neighbours that each card is compared with: one vector search per skill, whatever the size of the catalog. */
const NEIGHBOURS = 16;

interface Collision extends Closeness {
  /** Ids, in code-unit order. */
  readonly ids: readonly [string, string];
  /** The skill that comes first for either's description; null if each comes first for its own. */
  readonly shadowing: string | null;
}

export interface Collisions {
  /** Number of skills compared. */
  readonly skills: number;
  /** Pairs found. */
  readonly total: number;
  /** The hardest to tell apart first, at most `most`. */
  readonly pairs: readonly Collision[];
}

/** Needs vectors: without a model it finds no pair. `most` limits the pairs that are searched for and returned. */
export async function collisions(index: Searchable, most: number): Promise<Collisions> {
  const { reader } = index;
  const pairs = await nearPairs(reader);
  const shown: Collision[] = [];
  for (const { a, b, ...closeness } of pairs.slice(0, most)) {
    const ids = [reader.key(a), reader.key(b)].sort() as [string, string];
    shown.push({ ids, ...closeness, shadowing: await shadowing(index, a, b) });
  }
  return { skills: reader.documents, total: pairs.length, pairs: shown };
}

/** All pairs, the hardest to tell apart first, without a search for either. Needs vectors. */
export async function collidingPairs({
  reader,
}: Pick<Searchable, 'reader'>): Promise<(Closeness & { readonly ids: readonly [string, string] })[]> {
  const pairs = await nearPairs(reader);
  return pairs.map(({ a, b, ...closeness }) => ({ ids: [reader.key(a), reader.key(b)], ...closeness }));
}

/** Skills that collide with one, the hardest to tell apart first. Needs vectors. */
export async function collisionsWith(
  { reader }: Searchable,
  ordinal: number,
): Promise<(Closeness & { readonly other: string })[]> {
  const pairs = await nearPairs(reader, Uint32Array.of(ordinal));
  return pairs.map(({ a, b, ...closeness }) => ({ other: reader.key(a === ordinal ? b : a), ...closeness }));
}

interface Pair extends Closeness {
  readonly a: number;
  readonly b: number;
}

async function nearPairs(reader: Reader, of: Uint32Array = reader.ordinalsByKey()): Promise<Pair[]> {
  const vectors = await reader.openVectors();
  const accept = reader.accept([]);
  const tellApart = new TellApart(reader);
  const pairs = new Map<string, Pair>();
  for (const one of of)
    for (const other of vectors.nearest(reader.passages.cardVector(one), NEIGHBOURS, accept).ordinals) {
      // Each pair counts once, whichever of the two finds the other.
      const [a, b] = one < other ? [one, other] : [other, one];
      const key = `${a} ${b}`;
      if (a === b || pairs.has(key)) continue;
      const closeness = tellApart.of(a, b);
      if (closeness.closeness < COLLIDES || reader.digest(a) === reader.digest(b)) continue;
      if (reader.fingerprints(Uint32Array.of(a, b)).areSimilar(0, 1, TWIN_SIMILARITY)) continue;
      pairs.set(key, { a, b, ...closeness });
    }
  return [...pairs.values()].sort((x, y) => y.closeness - x.closeness || x.a - y.a || x.b - y.b);
}

/** Id of the one of two skills that comes first for either's description; null if each comes first for its own. */
async function shadowing(index: Searchable, a: number, b: number): Promise<string | null> {
  const winners = [];
  for (const own of [a, b])
    winners.push(await ahead(index, queryText(entryAt(index.reader, own).description), a, b));
  return winners[0] === winners[1] ? index.reader.key(winners[0]!) : null;
}

/** Whichever of the two ranks higher for a query; a skill that is not found ranks lowest. */
async function ahead({ reader, embedder }: Searchable, query: string, a: number, b: number): Promise<number> {
  const { ordinals, features } = await candidatesFor(query, reader, embedder, reader.accept([]));
  const { order } = ranked(reader, ordinals, features);
  return order.map((at) => ordinals[at]!).find((ordinal) => ordinal === a || ordinal === b) ?? a;
}

/** Nothing reads the index again. */
const RECIPE = 'cards';

/** What a skill offers to the index, and the path of its skill file. */
export interface Described {
  readonly document: IndexDocument;
  readonly path: string;
}

/**
 * For each of the skills that collides with another of them a remark that names the closest one, by its id. No index is opened: one of
 * the cards and bodies is made in memory.
 */
export async function checkCollisions(
  skills: readonly Described[],
  embedder: Embedder,
): Promise<ReadonlyMap<string, Diagnostic>> {
  const remarks = new Map<string, Diagnostic>();
  if (skills.length < 2) return remarks;
  const reader = await indexDescriptions(skills, embedder);
  const paths = new Map(skills.map(({ document: { key }, path }) => [key, path]));
  // The closest pairs come first.
  for (const { ids, closeness } of await collidingPairs({ reader }))
    for (const [id, other] of [ids, ids.toReversed()] as [string, string][]) {
      const message = `An agent can hardly tell it from ${other} by name and description (${closeness.toFixed(2)} of 1).`;
      const fix =
        'Write in each what only that skill does, name the other skill ("not for …: see …"), or remove one of the two.';
      if (!remarks.has(id))
        remarks.set(id, diagnose('description-collides', paths.get(id)!, message, { fix, line: 1 }));
    }
  reader.close();
  return remarks;
}

async function indexDescriptions(skills: readonly Described[], embedder: Embedder): Promise<Reader> {
  const directory = memoryDirectory();
  const writer = await IndexWriter.open(directory, { embedder, recipe: RECIPE }, 0);
  const segment = new SegmentWriter(embedder, RECIPE);
  await segment.add(
    skills.map(({ document }) => ({
      ...document,
      passages: document.passages.filter(({ kind }) => kind === 'card' || kind === 'body'),
    })),
  );
  writer.commit({ segments: [segment.finish(directory, 'cards.segment')], removed: [] });
  await writer.close();
  return Reader.open(directory, { embedder })!;
}
