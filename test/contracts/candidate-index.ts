/** The contract of every CandidateIndex, run for each implementation: what it finds and reads equals what the files say. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type CandidateIndex,
  type CandidateQuery,
  candidatesIn,
  type DocumentReader,
} from '../../index/candidates.ts';
import type { Directory } from '../../index/directory/directory.ts';
import { memoryDirectory } from '../../index/directory/memory.ts';
import type { IndexDocument } from '../../index/passage.ts';
import { Reader } from '../../index/reader/reader.ts';
import { SegmentWriter } from '../../index/segment/writer.ts';
import { IndexWriter } from '../../index/writer.ts';

import { toyDocument, toyEmbedder } from '../index/toy.ts';

const embedder = toyEmbedder();
/** More than there are documents: both retrievals find all that match. */
const ALL = 50;
const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'kiln', 'glaze', 'wheel', 'clay', 'set_ref', 'setRef'];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((all) => all.join(' '));

interface Planned {
  readonly document: IndexDocument;
  readonly segment: number;
  readonly fate: 'seen' | 'hidden' | 'removed';
}

const planned: fc.Arbitrary<Planned[]> = fc
  .array(
    fc.record({
      description: words,
      body: fc.array(words, { maxLength: 3 }),
      references: fc.array(words, { maxLength: 2 }),
      segment: fc.nat(2),
      fate: fc.constantFrom('seen' as const, 'seen' as const, 'hidden' as const, 'removed' as const),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) =>
    all.map(({ description, body, references, segment, fate }, at) => ({
      document: toyDocument(`k${String.fromCharCode(97 + at)}`, description, body, {
        references,
        facets: [`source:s${at % 2}`],
      }),
      segment,
      fate,
    })),
  );

/** One commit for each list of documents; then the keys are removed. */
export async function toyIndex(
  segments: readonly (readonly IndexDocument[])[],
  removed: readonly string[] = [],
): Promise<Directory> {
  const directory = memoryDirectory();
  const unique = Math.random().toString(36).slice(2);
  for (const [at, documents] of [...segments, []].entries()) {
    const writer = await IndexWriter.open(directory, { embedder, recipe: 'r' }, 0);
    const segment = new SegmentWriter(embedder, 'r');
    await segment.add(documents);
    writer.commit({
      segments: documents.length > 0 ? [segment.finish(directory, `${unique}${at}.segment`)] : [],
      removed: documents.length > 0 ? [] : removed,
    });
    await writer.close();
  }
  return directory;
}

/** In several segments, each in reversed order. */
const indexOf = (plan: readonly Planned[]) =>
  toyIndex(
    [0, 1, 2]
      .map((segment) => plan.filter((each) => each.segment === segment).map(({ document }) => document))
      .map((documents) => documents.toReversed())
      .filter((documents) => documents.length > 0),
    plan.flatMap(({ fate, document }) => (fate === 'removed' ? [document.key] : [])),
  );

const openReader = (directory: Directory) => Reader.open(directory, { embedder, vectors: 'exact' })!;

/** The view of one who may not see the hidden documents. */
function visibleOf(reader: Reader, plan: readonly Planned[]): Reader {
  const visible = new Set(plan.flatMap(({ fate, document }) => (fate === 'seen' ? [document.key] : [])));
  return reader.restrictedTo(
    reader.accept([]).map((one, at) => (one === 1 && visible.has(reader.key(at)) ? 1 : 0)),
  );
}

async function queryOf(text: string, byMeaning = true): Promise<CandidateQuery> {
  return { text, language: null, vector: byMeaning ? await embedder.embedQuery(text) : null };
}

/** Everything that ranking and evidence read of these documents, by key. */
async function seen(
  reader: Reader,
  { text, vector }: CandidateQuery,
  found: {
    readonly words: Parameters<DocumentReader['lexical']['signals']>[0];
    readonly documents: DocumentReader;
  },
  ordinals: Uint32Array,
) {
  const { words: query, documents } = found;
  const { lexical, passages } = documents;
  const signals = lexical.signals(query, ordinals);
  const width = query.terms.length;
  const identifiers = lexical.identifierShares(query, ordinals);
  const cards = vector === null ? null : passages.cardCosines(vector, ordinals);
  const bodies = vector === null ? null : passages.bestBodyCosines(vector, ordinals);
  const coverage = passages.bestCoverage(query, ordinals);
  const kinds = Array.from(ordinals, (ordinal) => reader.passages.kinds(ordinal));
  await documents.readPassages?.(
    Array.from(ordinals).flatMap((ordinal, at) => kinds[at]!.map((_, passage) => ({ ordinal, at: passage }))),
  );
  return {
    text,
    terms: query.terms,
    mass: query.mass,
    trust: query.trust,
    documents: Object.fromEntries(
      Array.from(ordinals, (ordinal, at) => [
        reader.key(ordinal),
        {
          bm25f: signals.bm25f[at],
          card: signals.card[at],
          bodyCoverage: signals.bodyCoverage[at],
          nameInQuery: signals.nameInQuery[at],
          byTerm: [...signals.byTerm.subarray(at * width, (at + 1) * width)],
          identifiers: identifiers[at],
          fields: [...lexical.termFields(query, ordinal)],
          cardCosine: cards?.[at],
          bodyCosine: bodies?.[at],
          cosines: vector === null ? null : [...passages.cosines(vector, ordinal)],
          coverage: coverage[at],
          weights: [...passages.weights(query, ordinal)],
          held: kinds[at]!.map((_, passage) => passages.terms(query, ordinal, passage)),
          texts: kinds[at]!.map((_, passage) => passages.get(ordinal, passage)),
        },
      ]),
    ),
  };
}

export interface OpenCandidates {
  /** The reader whose ordinals count: of the files, or of their outline. */
  readonly reader: Reader;
  readonly candidatesOf: (reader: Reader) => CandidateIndex;
}

/** `open` makes the index of a directory searchable. `runs` is how many catalogs are drawn. */
export function candidateIndexContract(
  open: (whole: Directory) => Promise<OpenCandidates>,
  { runs }: { readonly runs: number },
): void {
  const find = async (
    { candidatesOf }: OpenCandidates,
    reader: Reader,
    query: CandidateQuery,
    facets: string[][] = [],
    depth = ALL,
  ) => {
    const found = await candidatesOf(reader).find(query, depth, reader.accept(facets));
    expect([...found.ordinals]).toEqual([...found.ordinals].sort((a, b) => a - b));
    return seen(reader, query, found, found.ordinals);
  };

  it('finds living documents that pass the filter, with the signals and texts of the files', async () => {
    await fc.assert(
      fc.asyncProperty(
        planned,
        words,
        fc.boolean(),
        fc.boolean(),
        async (plan, text, byMeaning, isFiltered) => {
          const directory = await indexOf(plan);
          const opened = await open(directory);
          const files = openReader(directory);
          const query = await queryOf(text, byMeaning);
          const facets = isFiltered ? [['source:s1']] : [];
          const mine = await find(opened, opened.reader, query, facets);
          const theirs = await find({ reader: files, candidatesOf: candidatesIn }, files, query, facets);
          expect(mine).toEqual(theirs);
          const removed = plan.flatMap(({ fate, document }) => (fate === 'removed' ? [document.key] : []));
          for (const key of Object.keys(mine.documents)) expect(removed).not.toContain(key);
        },
      ),
      { numRuns: runs },
    );
  });

  it('finds for a restricted reader, bit by bit, what an index of its documents alone finds', async () => {
    await fc.assert(
      fc.asyncProperty(planned, words, fc.integer({ min: 1, max: 4 }), async (plan, text, depth) => {
        fc.pre(plan.some(({ fate }) => fate === 'seen'));
        const directory = await indexOf(plan);
        const opened = await open(directory);
        const bare = plan.filter(({ fate }) => fate === 'seen');
        const alone = await open(await toyIndex([bare.map(({ document }) => document)]));
        const query = await queryOf(text);
        const view = visibleOf(opened.reader, plan);
        const all = visibleOf(alone.reader, bare);
        const found = await find(opened, view, query, [], depth);
        expect(found).toEqual(await find(alone, all, query, [], depth));
        const files = openReader(directory);
        const theirs = { reader: files, candidatesOf: candidatesIn };
        expect(found).toEqual(await find(theirs, visibleOf(files, plan), query, [], depth));
      }),
      { numRuns: runs },
    );
  });

  it('takes the best of each retrieval, and no more', async () => {
    const documents = Array.from({ length: 9 }, (_, at) =>
      toyDocument(`d${at}`, at < 3 ? 'kiln kiln' : `wheel of clay ${'beta '.repeat(at)}`),
    );
    const opened = await open(await toyIndex([documents]));
    const { documents: found } = await find(opened, opened.reader, await queryOf('kiln'), [], 2);
    expect(Object.keys(found).length).toBeGreaterThanOrEqual(2);
    expect(Object.keys(found).length).toBeLessThanOrEqual(4);
    const none = await find(opened, opened.reader, await queryOf('nothing of the kind', false), [], 2);
    expect(none.documents).toEqual({});
  });

  it('finds nothing where the filter lets nothing pass', async () => {
    const opened = await open(await toyIndex([[toyDocument('a', 'alpha kiln')]]));
    const { documents } = await find(opened, opened.reader, await queryOf('kiln'), [['source:none']]);
    expect(documents).toEqual({});
  });

  it('reads given documents, found or not', async () => {
    const plan = ['alpha kiln', 'beta clay', 'gamma'].map((text, at) => toyDocument(`d${at}`, text, [text]));
    const directory = await toyIndex([plan.slice(0, 2), plan.slice(2)]);
    const opened = await open(directory);
    const files = openReader(directory);
    const query = await queryOf('kiln');
    const all = Uint32Array.of(0, 1, 2);
    const mine = await opened.candidatesOf(opened.reader).lookAt(query, all);
    const theirs = await candidatesIn(files).lookAt(query, all);
    expect(await seen(opened.reader, query, mine, all)).toEqual(await seen(files, query, theirs, all));
  });
}
