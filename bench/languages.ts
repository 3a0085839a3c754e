/**
 * `npm run bench -- languages`: a user's own language in a catalog that is mostly English. The requests of `languages` are
 * asked where all skills of their language are in the catalog, where three are, and where none is. The English ones are those of
 * `near-misses`.
 */

import { openEmbedder } from '../src/search/embedding/open.ts';
import { search } from '../src/search/search.ts';
import { type Verdict, verdictOf } from '../src/search/verdict.ts';
import { openCollection } from './collection.ts';
import { openCorpus } from './corpus.ts';
import { mean } from './evaluation/statistics.ts';
import { columns, percent } from './evaluation/table.ts';
import { readSlices } from './near-misses.ts';
import { LANGUAGES, MODELS } from './paths.ts';
import { publish } from './results-file.ts';
import { filterSources } from './sources.ts';

interface LanguagesOptions {
  /** The public catalog. */
  readonly skills: readonly string[];
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

interface Answered {
  readonly language: string;
  readonly isRight: boolean;
  readonly verdict: Verdict;
  /** Whether the verdict says that the query is in another language than the skills. */
  readonly isForeign: boolean;
}

/** Skills of a language in a catalog that has few. */
const FEW = 3;

export async function measureLanguages({ skills, write }: LanguagesOptions): Promise<void> {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const { dataset, sources } = await openCollection(LANGUAGES, skills);
  const own = [...new Set([...dataset.qrels.values()].flatMap((grades) => [...grades.keys()]))];
  const chosen = new Set([...own, ...(await readSlices()).map(({ id }) => id)]);
  const { reader, close } = await openCorpus(
    filterSources(sources, (id) => chosen.has(id)),
    embedder,
  );
  const ordinals = new Map(Array.from(reader.ordinalsByKey(), (ordinal) => [reader.key(ordinal), ordinal]));
  const others = [...ordinals.keys()].filter((id) => !own.includes(id));
  const ask = async (text: string, ids: readonly string[]) => {
    const accept = new Uint8Array(reader.accept([]).length);
    for (const id of ids) accept[ordinals.get(id)!] = 1;
    return search({ query: text, limit: 5 }, { reader: reader.restrictedTo(accept), embedder, now: () => 0 });
  };
  const rows: string[][] = [];
  for (const few of [own.length, FEW, 0]) {
    const found: Answered[] = [];
    const missing: Answered[] = [];
    for (const { id, text, style: language = '' } of dataset.queries) {
      const [wanted] = dataset.qrels.get(id)?.keys() ?? [];
      const sameLanguage = own.filter((one) => one.startsWith(`${language}/`));
      const kept = new Set([...(wanted === undefined ? [] : [wanted]), ...sameLanguage]);
      const { hits, fit, foreign } = await ask(text, [...others, ...[...kept].slice(0, few)]);
      const isRight = hits[0]?.entry.id === wanted;
      const answered = { language, isRight, verdict: verdictOf(fit), isForeign: foreign !== undefined };
      (wanted === undefined || few === 0 ? missing : found).push(answered);
    }
    const name = few === 0 ? 'none' : few === FEW ? String(FEW) : 'all';
    rows.push([name, ...shares(found, 'none'), ...shares(missing, 'fits').slice(1)]);
  }
  await close();
  await publish(
    {
      name: 'languages',
      title: 'Skills in the language of the request',
      figures: columns([HEAD, ...rows]),
      conditions: `In %. ${others.length} skills in English, and those of \`languages\` that are in the language of the request.`,
    },
    write,
  );
}

const HEAD = [
  'own skills',
  'right first',
  '"none"',
  'another language',
  'no answer: "fits"',
  'another language',
];

/** `wrong`: the verdict that misleads. */
const shares = (some: readonly Answered[], wrong: Verdict) =>
  some.length === 0
    ? ['–', '–', '–']
    : [
        ({ isRight }: Answered) => isRight,
        ({ verdict }: Answered) => verdict === wrong,
        ({ isForeign }: Answered) => isForeign,
      ].map((is) => percent(mean(some.map((one) => Number(is(one))))));
