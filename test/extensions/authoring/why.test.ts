import { describe, expect, it } from 'vitest';
import { rewording } from '../../../extensions/authoring/reword.ts';
import { suggestions } from '../../../extensions/authoring/suggest.ts';
import { why, withWords } from '../../../extensions/authoring/why.ts';
import type { Reader } from '../../../index/reader/reader.ts';
import { cardFields, cardText } from '../../../src/search/passages/card.ts';
import { search } from '../../../src/search/search.ts';
import type { CatalogEntry } from '../../../src/sources/scan/entry.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from '../../src/search/small-index.ts';

/** As the catalog makes it: card and fields follow from the entry. */
function skill(name: string, description: string, body: string[], tags: string[] = []) {
  const entry: Partial<CatalogEntry> & Pick<CatalogEntry, 'name' | 'description' | 'tags'> = {
    id: name,
    name,
    description,
    tags,
  };
  const made = toyDocument(name, description, body, { payload: entry, ...cardFields(entry) });
  const [card, ...rest] = made.passages;
  return { ...made, passages: [{ ...card!, text: cardText(entry) }, ...rest] };
}

const SKILLS = [
  skill('deploy', 'Deploys a service to a cluster.', ['Roll a release forward', 'Watch the rollout']),
  skill('crash', 'Finds out why pods restart in a loop.', [
    'Read exit codes',
    'Describe the pod and its memory',
  ]),
  skill('heap', 'Hunts leaks of a node service.', [
    'Compare heap snapshots',
    'Pods killed for memory',
    'Read retainers',
  ]),
  skill('forms', 'Fills in forms.', ['Open the form and list its fields'], ['pdf']),
];
const QUERY = 'pods restart because memory runs out';

const opened = async () => {
  const reader = await indexOf(SKILLS.slice(0, 2), SKILLS.slice(2));
  return { reader, embedder: toyEmbedder(), now: () => 0 };
};
const ordinalOf = (reader: Reader, id: string) => reader.resolve(id)[0]!;
const ask = async (id: string, query = QUERY) => {
  const index = await opened();
  return why({ query, ordinal: ordinalOf(index.reader, id), accept: index.reader.accept([]) }, index);
};

describe('why', () => {
  it('reports the same rank, score and parts as the search', async () => {
    const index = await opened();
    const { hits } = await search({ query: QUERY, limit: 10, explain: true }, index);
    for (const hit of hits) {
      const answer = await ask(hit.entry.id);
      expect(answer).toMatchObject({ rank: hit.rank, searched: 4, reached: true, foldedUnder: null });
      expect(answer.score).toBeCloseTo(hit.score, 6);
      expect(answer.parts).toEqual(hit.explanation);
    }
  });

  it('ranks and folds as the search: copies, translations and better-maintained copies', async () => {
    const body = Array.from({ length: 60 }, (_, at) => `Read exit code${at} of pod${at} and memory${at}`);
    const copy = (key: string, payload: object) => {
      const made = skill('crash', 'Finds out why pods restart in a loop.', body);
      return { ...made, key, payload: { ...(made.payload as object), id: key, digest: key, ...payload } };
    };
    const reader = await indexOf([
      ...SKILLS.filter(({ key }) => key !== 'crash' && key !== 'heap'),
      copy('a/crash', { source: 'a', digest: 'same' }),
      copy('b/crash', { source: 'b', digest: 'same' }),
      copy('c/crash', { source: 'c', strict: true, references: ['references/more.md'] }),
      skill('skills/heap', 'Hunts leaks of pods that restart.', ['Compare heap snapshots']),
      skill('docs/zh-CN/skills/heap', 'Hunts leaks of pods.', ['Compare memory of pods']),
    ]);
    const precedence = new Map([['b', 0]]);
    const index = { reader, embedder: toyEmbedder(), now: () => 0, precedence };
    const { hits } = await search({ query: QUERY, limit: 10, explain: true }, index);
    const led = hits.flatMap(({ rank, entry, twins, copies = [] }) => [
      [entry.id, rank, null],
      ...[...twins, ...copies.map(({ id }) => id)].map((id) => [id, rank, entry.id]),
    ]);
    expect(led.map(([id, , leader]) => [id, leader])).toEqual(
      expect.arrayContaining([
        ['a/crash', 'c/crash'],
        ['skills/heap', 'docs/zh-CN/skills/heap'],
      ]),
    );
    for (const [id, rank, foldedUnder] of led) {
      const ordinal = ordinalOf(reader, id as string);
      const answer = await why({ query: QUERY, ordinal, accept: reader.accept([]) }, index);
      expect({ id, rank: answer.rank, foldedUnder: answer.foldedUnder }).toEqual({ id, rank, foldedUnder });
    }
  });

  it('reports what the skill lacks: which words, in which fields, and what the first has over it', async () => {
    const answer = await ask('heap');
    expect(answer.rank).toBe(2);
    expect(answer.words.map(({ word, heldBy }) => [word, heldBy])).toEqual([
      ['pods', ['body']],
      ['restart', []],
      ['because', []],
      ['memory', ['body']],
      ['runs', []],
      ['out', []],
    ]);
    expect(answer.words.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 5);
    expect(answer.rivals.map(({ id }) => id)).toEqual(['crash', expect.any(String)]);
    const [lead] = answer.behind;
    expect(lead).toMatchObject({ rank: 1, id: 'crash', over: 'heap' });
    expect(lead!.by.reduce((sum, { difference }) => sum + difference, 0)).toBeCloseTo(lead!.margin, 6);
    expect(lead!.margin).toBeCloseTo(answer.rivals[0]!.score - answer.score, 5);
    expect(answer.passage).toMatchObject({
      path: 'SKILL.md',
      excerpt: expect.stringContaining('Pods killed'),
    });
  });

  it('says that the word "skill" counts in names only', async () => {
    const { words, best } = await ask('deploy', 'skills');
    expect(words.find(({ word }) => word.startsWith('skill'))).toMatchObject({
      word: 'skills in its name',
      heldBy: [],
    });
    expect(best).toBeNull();
  });

  it('predicts the ranks that really indexing the tried words gives', async () => {
    const query = 'exit codes of pods with leaks of memory';
    const { tried, best } = await ask('heap', query);
    expect(tried.map(({ word }) => word)).toContain('pods');
    expect(best).not.toBeNull();
    expect(best!.rank).toBeLessThan(2);
    const description = withWords('Hunts leaks of a node service.', best!.words);
    const reader = await indexOf([
      ...SKILLS.filter(({ key }) => key !== 'heap'),
      skill('heap', description, ['Compare heap snapshots', 'Pods killed for memory', 'Read retainers']),
    ]);
    const { hits } = await search({ query, limit: 4 }, { reader, embedder: toyEmbedder(), now: () => 0 });
    const hit = hits.find(({ entry }) => entry.id === 'heap')!;
    expect(hit.rank).toBe(best!.rank);
    // Real indexing also counts the added words in the document frequencies.
    expect(Math.abs(hit.score - best!.score)).toBeLessThan(0.1);
  });

  it('says where the skill is not about the query, and proposes nothing then', async () => {
    expect(await ask('forms')).toMatchObject({ about: false, tried: [], best: null });
    expect(await ask('heap')).toMatchObject({ about: true });
  });

  it('never proposes all words of the query', async () => {
    const { tried, best } = await ask('heap', 'pods and memory');
    expect(tried.map(({ word }) => word).toSorted()).toEqual(['memory', 'pods']);
    expect(best?.words.length ?? 0).toBeLessThan(2);
    expect(best?.sentence ?? 'Also for pods.').toMatch(/^Also for (?:pods|memory)\.$/);
  });

  it('tries nothing for the first skill, and suggests nothing if nothing helps', async () => {
    expect(await ask('crash')).toMatchObject({ rank: 1, tried: [], best: null, behind: [] });
    const { rank, tried, best } = await ask('forms', 'deploy a service to a cluster');
    expect(rank).toBeGreaterThan(1);
    for (const word of tried) expect(word.heldBy.length + Number(word.from === 'query')).toBeGreaterThan(0);
    if (best !== null) expect(best.rank).toBeLessThan(rank);
  });
});

describe('rewording with a code identifier', () => {
  it('counts it as if it were indexed', async () => {
    const { reader, embedder } = await opened();
    const mail = skill('mail', 'Calls send_mail.', ['Compose and send']);
    const all = await indexOf([...SKILLS, mail]);
    const words = all.lexical.prepare('pods and send_mail');
    const vector = await embedder.embedQuery('pods and send_mail');
    const ordinal = ordinalOf(all, 'heap');
    const entry = SKILLS.find(({ key }) => key === 'heap')!.payload as CatalogEntry;
    const reworded = rewording({ reader: all, embedder, words, vector, ordinal, entry });
    const counterfactuals = await reworded([entry.description, `${entry.description} send_mail.`]);
    expect(counterfactuals.map(({ signals }) => signals.identifiers[0])).toEqual([0, 1]);
    reader.close();
  });
});

describe('suggestions', () => {
  it('suggests words that the skill’s own text uses and that name a subject', async () => {
    const { reader } = await opened();
    const query = reader.lexical.prepare('the pods of my service restart again, read why and come back');
    const found = suggestions(reader, query, ordinalOf(reader, 'heap'), [
      'Finds out why pods restart in a loop.',
    ]);
    const words = found.filter(({ from }) => from === 'query').map(({ word }) => word);
    expect(words.toSorted()).toEqual(['pods']);
    expect(found.find(({ word }) => word === 'pods')?.heldBy).toEqual(['body']);
    // The skill's text never says why pods restart; it says "read", which is no subject.
    expect(found.map(({ word }) => word)).not.toContain('restart');
  });
});

describe('withWords', () => {
  it('appends a sentence with the words', () => {
    expect(withWords('Fills in forms', ['pdf', 'tax'])).toBe('Fills in forms. Also for pdf and tax.');
    expect(withWords('Fills in forms. ', ['pdf'])).toBe('Fills in forms. Also for pdf.');
    expect(withWords('Fills in forms.', ['pdf', 'tax', 'fields'])).toBe(
      'Fills in forms. Also for pdf, tax and fields.',
    );
    expect(withWords('', ['pdf'])).toBe('Also for pdf.');
  });
});

describe('what was learned', () => {
  it('counts in the rank and shows in the parts, as in a search', async () => {
    const index = {
      ...(await opened()),
      learned: {
        of: async (_: unknown, reader: Reader, ordinals: Uint32Array) =>
          Float32Array.from(ordinals, (ordinal) => (reader.key(ordinal) === 'heap' ? 1.15 : 0)),
      },
    };
    const { reader } = index;
    const accept = reader.accept([]);
    const answer = await search({ query: QUERY, limit: 5, explain: true }, index);
    const shown = answer.hits.find(({ entry }) => entry.id === 'heap')!;
    const explained = await why({ query: QUERY, ordinal: ordinalOf(reader, 'heap'), accept }, index);
    expect(shown.explanation!.learned).toBeGreaterThan(0);
    expect(explained).toMatchObject({ rank: shown.rank, parts: shown.explanation! });
    const other = await why({ query: QUERY, ordinal: ordinalOf(reader, 'crash'), accept }, index);
    const rival = [...other.rivals].find(({ id }) => id === 'heap')!;
    expect(rival.parts.learned).toBe(shown.explanation!.learned);
  });
});
