/**
 * `npm run bench -- hosts`: what a model can see of the skill that it needs, in the list that each host puts into the prompt and in
 * an answer of skillgate, and how many tokens that takes. It needs no model: no one can choose a skill that is not shown. The hosts'
 * rules are those of `extensions/connect/hosts.ts`.
 */

import { lineEntry } from '../extensions/connect/entries.ts';
import { HOSTS } from '../extensions/connect/hosts.ts';
import {
  computeListing,
  type ListedSkill,
  type Listing,
  type ListingReport,
  WINDOW_TOKENS,
} from '../extensions/connect/listing.ts';
import { targets } from '../extensions/eval/measures.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { entryAt, search } from '../src/search/search.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { mean, quantile, seeded } from './evaluation/statistics.ts';
import { columns, percent } from './evaluation/table.ts';
import { openIndex } from './open-index.ts';
import { MODELS } from './paths.ts';
import { publish } from './results-file.ts';
import { sliceFor } from './slices.ts';
import { answerTokens, tokensIn, toolTokens, withClient } from './tokens.ts';

interface HostsOptions {
  readonly index: string;
  readonly dataset: string;
  readonly skills: readonly string[];
  readonly program: string;
  readonly seed: number;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

const SIZES = [40, 325, 2_000, Number.POSITIVE_INFINITY];
const UNCUT: Listing = { entry: lineEntry, limit: null, overflow: 'omitted' };
/** Hosts that cut their list, each by another rule, and a list that no one cuts. */
export const LISTS: readonly { readonly id: string; readonly name: string; readonly listing: Listing }[] = [
  ...HOSTS.filter(({ id }) => ['claude-code', 'codex', 'copilot-cli'].includes(id)),
  { id: 'uncut', name: 'all descriptions, uncut', listing: UNCUT },
];

/** How much of a skill is in the prompt. */
type Seen = 'whole' | 'shortened' | 'name' | 'absent';
const SEEN: readonly Seen[] = ['whole', 'shortened', 'name', 'absent'];

/** What a list of this report shows of one of its skills. */
export function seenIn(
  { name, description }: ListedSkill,
  { omitted, withoutDescription, shortenedTo }: ListingReport,
  { mostDescription = Number.POSITIVE_INFINITY }: Listing,
): Seen {
  if (omitted.includes(name)) return 'absent';
  if (withoutDescription.includes(name)) return 'name';
  return description.length > Math.min(mostDescription, shortenedTo ?? Number.POSITIVE_INFINITY)
    ? 'shortened'
    : 'whole';
}

export async function measureHosts(options: HostsOptions): Promise<void> {
  const dataset = await readDatasetFolder(options.dataset);
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(options.index, embedder);
  const ordinals = new Map(Array.from(reader.ordinalsByKey(), (ordinal) => [reader.key(ordinal), ordinal]));
  const ids = [...ordinals.keys()];
  const known = new Map<string, ListedSkill>(ids.map((id) => [id, entryAt(reader, ordinals.get(id)!)]));
  const listed = (id: string) => known.get(id)!;
  const { prompt, answer } = await costOf(options, dataset.queries);
  const rows: string[][] = [];
  for (const size of SIZES) {
    const random = seeded(options.seed);
    const seen = new Map<string, Seen[]>();
    const tokens = new Map<string, number>();
    let count = 0;
    let lists: readonly ListingReport[] | undefined;
    for (const query of dataset.queries) {
      const isWhole = size >= ids.length;
      const slice = sliceFor(query, dataset, ids, isWhole ? 0 : size, random);
      if (slice === null) continue;
      const skills = isWhole ? ids : [...slice.others.slice(1), slice.best];
      count = skills.length;
      const catalog = skills.map(listed);
      // The whole catalog is the same for every request.
      if (!isWhole || lists === undefined)
        lists = LISTS.map(({ listing }) => computeListing(catalog, listing));
      const add = (way: string, what: Seen) => seen.set(way, [...(seen.get(way) ?? []), what]);
      for (const [at, { name, listing }] of LISTS.entries()) {
        const list = lists[at]!;
        tokens.set(name, Math.max(tokens.get(name) ?? 0, list.tokens));
        add(name, seenIn(listed(slice.best), list, listing));
      }
      const accept = new Uint8Array(reader.accept([]).length);
      for (const id of skills) accept[ordinals.get(id)!] = 1;
      const { hits, also = [] } = await search(
        { query: query.text, limit: 5, also: 5 },
        { reader: isWhole ? reader : reader.restrictedTo(accept), embedder, now: () => 0 },
      );
      const best = isWhole ? targets(dataset.qrels.get(query.id)!) : new Set([slice.best]);
      const isIn = (some: readonly { readonly entry: { readonly id: string } }[]) =>
        some.some(({ entry }) => best.has(entry.id));
      add('skillgate', isIn(hits) ? 'shortened' : isIn(also) ? 'name' : 'absent');
    }
    for (const [way, all] of seen) {
      const shares = SEEN.map((kind) => percent(mean(all.map((one) => Number(one === kind)))));
      const before = way === 'skillgate' ? prompt : tokens.get(way)!;
      const fits = before <= WINDOW_TOKENS;
      rows.push([
        String(count),
        way,
        ...(fits ? shares : SEEN.map(() => '–')),
        before.toLocaleString('en-US'),
        way === 'skillgate' ? String(answer) : '0',
      ]);
    }
  }
  reader.close();
  const head = [
    'skills',
    'way',
    'described',
    'a line of it',
    'name only',
    'absent',
    'tokens before',
    'to search',
  ];
  await publish(
    {
      name: 'hosts',
      title: 'The list of a host, and a search',
      figures: columns([head, ...rows], [1]),
      conditions: `What the prompt shows of a best skill, in % of the ${dataset.queries.length} requests; a window of ${WINDOW_TOKENS.toLocaleString('en-US')} tokens ("–": the list is larger). Random catalogs that hold one best skill; nothing was used before, so that names decide who keeps a description. Lists: the most tokens of any draw, estimated. skillgate: a hit is "a line of it", one of the ids behind is "name only"; before: tools and instructions; to search: query and answer, median over the whole catalog. Seed ${options.seed}.`,
    },
    options.write,
  );
}

/** Tokens of skillgate in a prompt, and of a search: the query and the text of its answer, median. */
async function costOf(
  { program, skills, index }: HostsOptions,
  queries: readonly { readonly text: string }[],
): Promise<{ prompt: number; answer: number }> {
  const folders = skills.flatMap((folder) => ['--skills', folder]);
  return withClient([program, 'serve', ...folders, '--index', index, '--answers', 'text'], async (client) => {
    const answers: number[] = [];
    for (const { text } of queries) answers.push(tokensIn(text) + (await answerTokens(client, text)).text);
    return {
      prompt: (await toolTokens(client)) + tokensIn(client.getInstructions() ?? ''),
      answer: Math.round(quantile(answers, 0.5)),
    };
  });
}
