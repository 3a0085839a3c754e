import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reader } from '../../../index/reader/reader.ts';
import type { SearchAnswer, SearchRequest } from '../../../src/search/answer.ts';
import { candidatesFor } from '../../../src/search/candidates.ts';
import { unknownWords } from '../../../src/search/codes.ts';
import { type Searchable, search } from '../../../src/search/search.ts';
import type { CatalogEntry } from '../../../src/sources/scan/entry.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { examples } from '../../thorough.ts';
import { indexOf } from './small-index.ts';

const document = (id: string, description: string, body: string[], facets: string[] = []) =>
  toyDocument(id, description, body, {
    facets,
    payload: { id, description, digest: id } as Partial<CatalogEntry>,
  });

const DOCUMENTS = [
  document(
    'data/csv',
    'Clean messy tables',
    ['Detect the delimiter', 'Trim every cell'],
    ['source:a', 'tag:data', 'scripts:yes'],
  ),
  document(
    'data/sql',
    'Tune slow queries',
    ['Read the query plan', 'Add an index'],
    ['source:a', 'tag:data', 'tag:sql', 'scripts:no'],
  ),
  document(
    'docs/pdf',
    'Fill in forms',
    ['Open the form and list its fields'],
    ['source:b', 'tag:office', 'scripts:no'],
  ),
  document('ops/deploy', 'Deploy to a cluster', ['Roll back a bad release'], ['source:b', 'scripts:yes']),
];

const over = (reader: Reader, more: Partial<Searchable> = {}) => ({
  reader,
  embedder: toyEmbedder(),
  now: () => 0,
  ...more,
});
const small = async (more: Partial<Searchable> = {}) =>
  over(await indexOf(DOCUMENTS.slice(0, 2), DOCUMENTS.slice(2)), more);
const ids = ({ hits }: Pick<SearchAnswer, 'hits'>) => hits.map(({ entry }) => entry.id);

describe('search', () => {
  it('ranks by words and meaning, with evidence, and reports how', async () => {
    const times = [100, 103];
    const answer = await search(
      { query: 'trim each cell of a messy table', limit: 3 },
      await small({ now: () => times.shift()! }),
    );
    expect(ids(answer)[0]).toBe('data/csv');
    expect(answer.retrieval).toEqual({ mode: 'hybrid', vectors: 'exact', model: 'toy' });
    expect(answer).toMatchObject({ searched: 4, tookMs: 3, weak: expect.any(Boolean) });
    expect(answer.confidence).toBeGreaterThan(0);
    expect(answer.confidence).toBeLessThan(1);
    expect(answer.fit).toBeGreaterThan(0);
    expect(answer.fit).toBeLessThan(1);
    expect(answer.hits.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    expect(answer.hits[0]?.evidence[0]).toMatchObject({
      path: 'SKILL.md',
      lines: [3, 3],
      terms: ['trim', 'cell'],
    });
    const scores = answer.hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const score of scores) expect(score).toBeGreaterThanOrEqual(0);
  });

  it('explains a score by its parts on request', async () => {
    const index = await small();
    const { hits } = await search({ query: 'query plan', limit: 1, explain: true }, index);
    const sum = Object.values(hits[0]!.explanation!).reduce((total, part) => total + part, 0);
    expect(Math.min(1, Math.max(0, sum))).toBeCloseTo(hits[0]!.score, 5);
    expect((await search({ query: 'query plan', limit: 1 }, index)).hits[0]).not.toHaveProperty(
      'explanation',
    );
  });

  it('explains on request why each hit ranks before the next, also across pages', async () => {
    const index = await small();
    const query = 'query plan of a form to deploy';
    const all = (await search({ query, limit: 10, explain: true }, index)).hits;
    all.forEach(({ lead, score }, at) => {
      const next = all[at + 1];
      if (next === undefined) expect(lead).toBeUndefined();
      else {
        expect(lead).toMatchObject({ over: next.entry.id });
        expect(lead!.margin).toBeCloseTo(score - next.score, 5);
        const sum = lead!.by.reduce((total, { difference }) => total + difference, 0);
        expect(sum).toBeCloseTo(lead!.margin, 6);
      }
    });
    const page = await search({ query, limit: 1, explain: true }, index);
    expect(page.hits[0]?.lead).toEqual(all[0]?.lead);
    expect((await search({ query, limit: 1 }, index)).hits[0]).not.toHaveProperty('lead');
  });

  it('searches only words without a model, and reports the reason', async () => {
    const index = await small({ embedder: null, note: 'The model is missing.' });
    const answer = await search({ query: 'query plan', limit: 3 }, index);
    expect(ids(answer)).toEqual(['data/sql']);
    expect(answer.retrieval).toEqual({
      mode: 'lexical',
      vectors: 'none',
      model: null,
      note: 'The model is missing.',
    });
  });

  it('searches only words if the model knows none of the query, and reports it', async () => {
    // The toy model knows Latin letters and digits.
    const index = over(await indexOf([...DOCUMENTS, document('cjk', '表を整える', ['値を確かめる'])]));
    const answer = await search({ query: '表を整える', limit: 3 }, index);
    expect(ids(answer)).toEqual(['cjk']);
    expect(answer.retrieval).toMatchObject({
      mode: 'lexical',
      model: null,
      note: expect.stringContaining('no word'),
    });
  });

  it('answers a query without words with no hits, marked weak', async () => {
    expect(await search({ query: '!!! ---', limit: 3 }, await small())).toMatchObject({
      hits: [],
      confidence: null,
      fit: null,
      weak: true,
      searched: 4,
    });
  });

  it.each(['', '  \n', '\u0000\u0007'])('lists by id for the empty query %j', async (query) => {
    const index = await small();
    const first = await search({ query, limit: 3 }, index);
    expect(ids(first)).toEqual(['data/csv', 'data/sql', 'docs/pdf']);
    expect(first).toMatchObject({
      query: '',
      retrieval: { mode: 'browse', vectors: 'none', model: null },
      confidence: null,
      fit: null,
      weak: false,
    });
    const second = await search({ query, limit: 3, cursor: first.nextCursor! }, index);
    expect(ids(second)).toEqual(['ops/deploy']);
    expect(second.hits[0]?.rank).toBe(4);
    expect(second.nextCursor).toBeUndefined();
  });

  it.each<[string, SearchRequest['filter'], string[]]>([
    ['a source', { sources: ['b'] }, ['docs/pdf', 'ops/deploy']],
    ['a tag in any case', { tags: ['DATA'] }, ['data/csv', 'data/sql']],
    ['alternatives', { tags: ['sql', 'office'] }, ['data/sql', 'docs/pdf']],
    ['scripts', { hasScripts: true }, ['data/csv', 'ops/deploy']],
    ['no scripts', { hasScripts: false }, ['data/sql', 'docs/pdf']],
    ['several parts', { sources: ['a'], tags: ['data'], hasScripts: false }, ['data/sql']],
    ['a source that there is not', { sources: ['c'] }, []],
    ['empty lists, which restrict nothing', { sources: [], tags: [] }, ids4()],
  ])('filters by %s', async (_, filter, expected) => {
    const index = await small();
    const browsed = await search({ query: '', limit: 10, filter: filter! }, index);
    expect(ids(browsed)).toEqual(expected);
    expect(browsed.searched).toBe(expected.length);
    const found = ids(
      await search({ query: 'the query plan of a form to deploy', limit: 10, filter: filter! }, index),
    );
    expect(found.toSorted()).toEqual(expected);
  });

  it('folds near-identical skills under the best one, or lists them on request', async () => {
    const words = Array.from({ length: 80 }, (_, at) => `word${at}`);
    const body = (extra: string) => [`${words.join(' ')} ${extra}`];
    const index = over(
      await indexOf([
        document('mirror/deploy', 'Deploy to a cluster', body('mirror')),
        document('original/deploy', 'Deploy to a cluster', body('original')),
        document('other', 'Deploy elsewhere', ['Something quite different']),
      ]),
    );
    const folded = await search({ query: 'deploy word1 word2', limit: 5 }, index);
    const listed = await search({ query: 'deploy word1 word2', limit: 5, foldTwins: false }, index);
    expect(ids(listed).toSorted()).toEqual(['mirror/deploy', 'original/deploy', 'other']);
    const [best, twin] = ids(listed).filter((id) => id !== 'other');
    expect(ids(folded)).toEqual([best, 'other']);
    expect(folded.hits[0]?.twins).toEqual([twin]);
    expect(listed.hits.every(({ twins }) => twins.length === 0)).toBe(true);
  });

  it('goes through pages of any size without losing or repeating a hit', async () => {
    const many = Array.from({ length: 23 }, (_, at) =>
      document(`s${String(at).padStart(2, '0')}`, `Task of kind ${at % 5}`, [`Step ${at} of the task`]),
    );
    const index = over(await indexOf(many.slice(0, 9), many.slice(9)));
    const whole = ids(await search({ query: 'task of kind 3', limit: 50 }, index));
    expect(whole).toHaveLength(23);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (sizes) => {
        const seen: string[] = [];
        let cursor: string | undefined;
        for (let at = 0; ; at += 1) {
          const limit = sizes[at % sizes.length]!;
          const page = await search(
            { query: ' task of kind 3', limit, ...(cursor === undefined ? {} : { cursor }) },
            index,
          );
          expect(page.hits.map(({ rank }) => rank)).toEqual(
            page.hits.map((_, place) => seen.length + place + 1),
          );
          seen.push(...ids(page));
          cursor = page.nextCursor;
          if (cursor === undefined) break;
        }
        expect(seen).toEqual(whole);
      }),
      { numRuns: examples(20) },
    );
  });

  it('continues a search however its filter is written, and no other search', async () => {
    const index = await small();
    const filter = { sources: ['a'], tags: ['data'] };
    const { nextCursor: cursor = '' } = await search({ query: 'query', limit: 1, filter }, index);
    expect(cursor).not.toBe('');
    const turned = { tags: ['data'], sources: ['a'] };
    await search({ query: 'query', limit: 1, filter: turned, cursor }, index);
    for (const other of [
      { query: 'plan', filter },
      { query: 'query' },
      { query: 'query', filter, foldTwins: false },
    ])
      await expect(search({ limit: 1, cursor, ...other }, index)).rejects.toThrow('another query or filter');
  });

  it('accepts any text as a query', async () => {
    const index = await small();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (query) => {
        const answer = await search({ query, limit: 5 }, index);
        expect(answer.query.isWellFormed()).toBe(true);
        expect(answer.hits.length).toBeLessThanOrEqual(4);
      }),
      { numRuns: examples(100) },
    );
    const long = await search({ query: `query plan ${'x'.repeat(100_000)}`, limit: 1 }, index);
    expect(ids(long)).toEqual(['data/sql']);
    expect(long.query).toHaveLength(8_000);
  });

  it('folds skills of one path in two languages, and no others of that path', async () => {
    const reader = await indexOf([
      document('tax/vat', 'File the tax return', ['Collect the receipts of a year'], ['language:en']),
      document('tax/de/vat', 'German tax rules', ['Ask an adviser about dates'], ['language:en']),
      document('tax/es/vat', 'Presentar tax', ['Reunir los recibos del periodo'], ['language:es']),
    ]);
    const { hits } = await search({ query: 'tax', limit: 5 }, over(reader));
    const groups = hits.map(({ entry, twins }) => [entry.id, ...twins].sort());
    expect(groups).toHaveLength(2);
    expect(groups.find((group) => group.length === 2)).toContain('tax/es/vat');
    reader.close();
  });
});

describe('pages', () => {
  const query = 'query plan of a form to deploy';
  /** Ids and whether more follow, for a page of this length. */
  const page = async (limit: number, more: Partial<SearchRequest> = {}) => {
    const answer = await search({ query, limit, ...more }, await small());
    return { found: ids(answer), more: answer.nextCursor !== undefined, answer };
  };

  it.each<[string, Partial<SearchRequest>]>([
    ['plain', {}],
    ['with the skills behind the page', { also: 2 }],
    ['explained', { explain: true }],
    ['of the whole catalog', { query: '' }],
  ])('have a cursor exactly if hits follow (%s)', async (_, more) => {
    const all = (await page(10, more)).found;
    expect(all).toHaveLength(4);
    for (const limit of [1, 2, 3]) {
      const short = await page(limit, more);
      expect(short.found).toEqual(all.slice(0, limit));
      expect(short.more).toBe(true);
      const { found, answer } = await page(4 - limit, { ...more, cursor: short.answer.nextCursor! });
      expect(found).toEqual(all.slice(limit));
      expect(answer.hits[0]?.rank).toBe(limit + 1);
      expect(answer.nextCursor).toBeUndefined();
    }
    for (const limit of [4, 5]) expect((await page(limit, more)).more).toBe(false);
  });

  it('name as many skills behind the page as asked for, explained or not', async () => {
    const all = (await page(10)).found;
    for (const explain of [false, true])
      for (const also of [0, 1, 2, 9]) {
        const { answer, found } = await page(1, { explain, also });
        expect(found).toHaveLength(1);
        expect(answer.also?.map(({ entry }) => entry.id) ?? []).toEqual(all.slice(1, 1 + also));
        expect('also' in answer).toBe(also > 0);
        expect(answer.hits[0]?.lead?.over).toBe(explain ? all[1] : undefined);
      }
    const filter = { sources: ['b'] };
    const { answer: filtered } = await page(1, { filter, also: 9 });
    expect(filtered.also?.map(({ entry }) => entry.id)).toEqual((await page(10, { filter })).found.slice(1));
    expect((await page(4, { explain: true, also: 1 })).answer.hits.at(-1)).not.toHaveProperty('lead');
  });
});

describe('the words of a query', () => {
  it('are its stems with their weights, the rare ones heavier', async () => {
    const index = over(
      await indexOf([
        document('a', 'Glaze clay', []),
        document('b', 'Clay tiles', []),
        document('c', 'Clay pots', []),
      ]),
    );
    const { words } = await search({ query: 'the clays and glazes', limit: 1 }, index);
    expect(words).toEqual([
      { term: 'clai', weight: expect.any(Number) },
      { term: 'glaze', weight: expect.any(Number) },
    ]);
    expect(words[1]!.weight).toBeGreaterThan(words[0]!.weight);
  });
});

describe('a code of a query', () => {
  const about = async (query: string, ...bodies: readonly string[]) => {
    const topics = ['Brew tea', 'Prune roses', 'Tune pianos'];
    const documents = bodies.map((body, at) => document(`skill-${at}`, topics[at]!, [body]));
    const { fit } = await search({ query, limit: 1 }, over(await indexOf(documents)));
    return fit!;
  };
  const listing = 'The audit of 2020 lists each CVE by its date in 2021.';

  it('is evidence that a skill fits, also where another one is first', async () => {
    const without = await about('CVE-2020-0796', listing, 'Closes holes in the kernel.', 'Turn the pins.');
    const having = await about('CVE-2020-0796', listing, 'Closes CVE-2020-0796 by patch.', 'Turn the pins.');
    expect(having).toBeGreaterThan(4 * without);
  });

  it('is not found by its year', async () => {
    expect(await about('CVE-2021-44228', listing, 'Cut them.', 'Turn the pins.')).toBeLessThan(0.1);
  });
});

describe('a query with a code that no skill mentions', () => {
  it('is answered weakly, and the answer names the code', async () => {
    const index = over(
      await indexOf([document('db', 'Back up the databases of a server', ['Stop it with exit code 137'])]),
    );
    const about = (query: string) => search({ query, limit: 1 }, index);
    expect(await about('CVE-2021-44228, please')).toMatchObject({ weak: true, unknown: ['CVE-2021-44228'] });
    expect(await about('exit code 137')).not.toHaveProperty('unknown');
    expect(await about('paint a portrait')).toMatchObject({
      weak: true,
      unknown: ['paint', 'portrait'],
    });
    // "databases" is known, although it holds a word that is not.
    const query = 'a base for a sourdough cake, without databases';
    const { words } = await candidatesFor(query, index.reader, index.embedder, index.reader.accept([]));
    expect(unknownWords(words)).toEqual(['base', 'sourdough', 'cake']);
  });
});

describe('hits without a query', () => {
  it('have no score, evidence or twins, and nothing is said of their fit', async () => {
    const { hits, words } = await search({ query: '', limit: 2, explain: true, also: 1 }, await small());
    expect(words).toEqual([]);
    expect(hits[1]).toEqual({
      rank: 2,
      entry: { id: 'data/sql', description: 'Tune slow queries', digest: 'data/sql' },
      score: 0,
      evidence: [],
      twins: [],
    });
  });
});

describe('a hit', () => {
  const clay = () =>
    indexOf([
      document('kiln', 'Fire clay', ['Glaze the bowl', 'Glaze the mug', 'Glaze the jug']),
      document('wheel', 'Throw clay', ['Glaze the bowl', 'Glaze the mug', 'Glaze the jug']),
      document('yard', 'Dig clay', ['Glaze the bowl', 'Glaze the mug', 'Glaze the jug']),
    ]);

  it('shows two passages if it is the first of all, else one, and one without excerpts', async () => {
    const index = over(await clay());
    const lengths = async (more: object = {}) =>
      (await search({ query: 'glaze', limit: 2, ...more }, index)).hits.map(
        ({ evidence }) => evidence.length,
      );
    expect(await lengths()).toEqual([2, 1]);
    expect(await lengths({ excerpts: true })).toEqual([2, 1]);
    expect(await lengths({ excerpts: false })).toEqual([1, 1]);
    const { nextCursor } = await search({ query: 'glaze', limit: 1 }, index);
    expect(await lengths({ cursor: nextCursor! })).toEqual([1, 1]);
  });

  it('has an excerpt unless none is asked for', async () => {
    const index = over(await clay());
    const excerpt = async (more: object = {}) =>
      (await search({ query: 'glaze', limit: 1, ...more }, index)).hits[0]!.evidence[0]!.excerpt;
    expect(await excerpt()).toBe('Glaze the bowl');
    expect(await excerpt({ excerpts: false })).toBe('');
  });

  it('has a score of at most 1, whatever learning adds', async () => {
    const reader = await indexOf([
      document('glaze-bowl', 'Glaze a bowl', ['Glaze a bowl']),
      document('tea', 'Brew tea', ['Boil water']),
    ]);
    const learned = { of: async () => Float32Array.of(1, 0) };
    const { hits } = await search(
      { query: 'glaze bowl', limit: 1, explain: true },
      over(reader, { learned }),
    );
    const sum = Object.values(hits[0]!.explanation!).reduce((total, part) => total + part, 0);
    expect(sum).toBeGreaterThan(1);
    expect(hits[0]!.score).toBe(1);
  });

  it('has a score of at least 0', async () => {
    const away = { ...toyEmbedder(), embedQuery: async () => new Float32Array(32).fill(-1 / Math.sqrt(32)) };
    const index = over(await clay(), { embedder: away });
    const { hits } = await search({ query: 'zebra', limit: 2, explain: true }, index);
    expect(hits).toHaveLength(2);
    for (const { score, explanation } of hits) {
      expect(Object.values(explanation!).reduce((total, part) => total + part, 0)).toBeLessThan(0);
      expect(score).toBe(0);
    }
  });
});

function ids4() {
  return ['data/csv', 'data/sql', 'docs/pdf', 'ops/deploy'];
}
