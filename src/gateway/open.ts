/** Opens a gateway over a library: each use case reads one snapshot, and damage found on the way is repaired. */

import type { Reader } from '../../index/reader/reader.ts';
import { type WhyAnswer, why } from '../authoring/why.ts';
import type { LibraryView, ServedLibrary } from '../catalog/library.ts';
import type { CatalogSummary } from '../catalog/summary.ts';
import type { Filter } from '../search/answer.ts';
import { CursorError } from '../search/answer.ts';
import { copiesOf } from '../search/copies.ts';
import { passagesFor } from '../search/evidence.ts';
import { acceptedBy, entryAt, type Searchable, search } from '../search/search.ts';
import { withFileMarks, withMarks } from './findings.ts';
import type { Gateway, SkillPage, WhySkillRequest } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';
import { intercept, withRepair } from './intercept.ts';
import type { loadSkill } from './load-skill.ts';
import { encodeCursor, positionOf } from './page-cursor.ts';
import { LIST, publishable, publishableAt } from './publish.ts';
import type { readReference } from './read-reference.ts';
import { ordinalOf, resolveSkill, shortId } from './resolve.ts';
import { filesOf } from './skill-files.ts';
import { completeName, completeSkill, labelOf } from './skill-names.ts';

/** Most hits of one page. */
const MAX_HITS = 50;
/** Most entries of one page of the list. */
const MAX_ENTRIES = 200;
/** Most skills of one page of publishable ones: clients walk a limited number of pages. */
const MAX_PUBLISHABLE = 500;
/** Bounds of a token budget. */
const TOKENS = [100, 50_000] as const;

/** `view` is the part of the library that callers may see; default all of it. */
export function openGateway(library: ServedLibrary, view: LibraryView = library): Gateway {
  const isThere: IsThere = (entry) => library.isThere?.(entry) ?? true;
  return intercept(useCases(view, isThere), (_, proceed) => withRepair(library, proceed));
}

type IsThere = NonNullable<ServedLibrary['isThere']>;

/** Loaded on first use: a process that only searches does not need these parsers. */
const load: typeof loadSkill = async (...args) => (await import('./load-skill.ts')).loadSkill(...args);
const read: typeof readReference = async (...args) =>
  (await import('./read-reference.ts')).readReference(...args);

function useCases(library: LibraryView, isThere: IsThere): Gateway {
  return {
    async search(request) {
      between('limit', request.limit, 1, MAX_HITS);
      let index = await library.current();
      let answer = await withCursorErrors(() => search(request, index));
      // A skill that was deleted just now is not named, whatever the watcher has seen so far.
      if (!answer.hits.every(({ entry }) => isThere(entry))) {
        index = await library.current({ fresh: true });
        answer = await withCursorErrors(() => search(request, index));
      }
      const hits = withShortIds(answer.hits, index);
      const { also, ...page } = answer;
      return { ...page, hits, ...(also !== undefined && { also: withShortIds(also, index) }) };
    },

    async why(request) {
      if (request.page !== undefined) between('page', request.page, 1, MAX_HITS);
      return whySkill(await library.current(), request);
    },

    async load({ skill, query = '', ...request }) {
      budget(request.maxTokens);
      const index = await library.current();
      const { reader, precedence } = index;
      const entry = resolveSkill(reader, skill, precedence);
      const loaded = withMarks(await load(entry, request, await filesOf(library, entry)));
      const copies = copiesOf(reader, entry, precedence);
      return {
        ...loaded,
        shortId: shortId(reader, entry.id, precedence),
        ...(copies.length > 0 && { copies }),
        ...(query.trim() !== '' && { startAt: await passagesFor(query, ordinalOf(reader, entry.id), index) }),
      };
    },

    async find({ skill }) {
      const { reader, precedence } = await library.current();
      const found = resolveSkill(reader, skill, precedence);
      const loaded = withMarks(await load(found, { maxTokens: TOKENS[0] }, await filesOf(library, found)));
      const { entry, files, frontmatter } = loaded;
      return { entry, files, frontmatter };
    },

    async read({ skill, ...request }) {
      budget(request.maxTokens);
      if (request.lines !== undefined && request.heading !== undefined)
        throw new GatewayError('REQUEST_INVALID', 'Ask for lines or for a heading, not for both.');
      const { reader, precedence } = await library.current();
      const entry = resolveSkill(reader, skill, precedence);
      return withFileMarks(await read(entry, request, await filesOf(library, entry)), entry);
    },

    async list({ cursor, offset: from = 0, limit, audience }) {
      between('limit', limit, 1, MAX_ENTRIES);
      between('offset', from, 0, Number.MAX_SAFE_INTEGER);
      const { reader } = await library.current({ fresh: true });
      const all = ordinalsFor(reader, audience);
      const first = cursor === undefined ? from : positionOf(reader, all, cursor, 'list');
      const entries = Array.from(all.subarray(first, first + limit), (ordinal) => entryAt(reader, ordinal));
      const page: SkillPage = { total: all.length, entries };
      const last = entries.at(-1);
      return last !== undefined && first + limit < all.length
        ? { ...page, nextCursor: encodeCursor(last.id, 'list') }
        : page;
    },

    async labels(entries) {
      const { reader } = await library.current();
      return Promise.all(entries.map((entry) => labelOf(reader, entry)));
    },

    async complete(prefix) {
      const { reader } = await library.current();
      return completeName(reader, prefix);
    },

    summary: async (request) => stillThere(await library.summary(request), isThere),

    async publishable({ cursor, limit }) {
      between('limit', limit, 1, MAX_PUBLISHABLE);
      const { reader } = await library.current();
      const all = reader.ordinalsByKey();
      const from = positionOf(reader, all, cursor, LIST);
      const skills = await publishable(library, reader, all.subarray(from, from + limit));
      return { skills, more: from + limit < all.length };
    },

    async publishableAt(uri) {
      const { reader, precedence } = await library.current();
      return publishableAt(library, reader, uri, precedence);
    },

    async completeUri({ text, limit }) {
      between('limit', limit, 1, MAX_ENTRIES);
      const { reader } = await library.current();
      return completeSkill(reader, text, limit).map(({ uri }) => uri);
    },

    onChange: (listener) => library.onChange(listener),
  };
}

/** Without pinned skills that were deleted since they were indexed. */
function stillThere(summary: CatalogSummary, isThere: IsThere): CatalogSummary {
  const { pinned } = summary;
  if (pinned === undefined || pinned.skills.every(isThere)) return summary;
  const gone = pinned.skills.filter((skill) => !isThere(skill));
  const problems = gone.map(({ id }) => `pinned: the skill ${id} is gone.`);
  return {
    ...summary,
    pinned: {
      ...pinned,
      skills: pinned.skills.filter(isThere),
      problems: [...pinned.problems, ...problems],
    },
  };
}

/** In order of id. */
function ordinalsFor(reader: Reader, audience: Filter['audience']): Uint32Array {
  const all = reader.ordinalsByKey();
  if (audience === undefined) return all;
  const accept = acceptedBy(reader, { audience });
  return reader.documentsIn(accept) === all.length ? all : all.filter((ordinal) => accept[ordinal] === 1);
}

function withShortIds<Item extends { readonly entry: { readonly id: string } }>(
  items: readonly Item[],
  { reader, precedence }: Searchable,
): (Item & { readonly shortId: string })[] {
  return items.map((item) => ({ ...item, shortId: shortId(reader, item.entry.id, precedence) }));
}

function between(name: string, value: number, least: number, most: number): void {
  if (!(Number.isInteger(value) && value >= least && value <= most))
    throw new GatewayError(
      'REQUEST_INVALID',
      `${name} is ${value}; it must be a whole number from ${least} to ${most}.`,
    );
}

function budget(maxTokens: number | undefined): void {
  if (maxTokens !== undefined) between('maxTokens', maxTokens, ...TOKENS);
}

async function withCursorErrors<T>(use: () => T | Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof CursorError)
      throw new GatewayError('REQUEST_INVALID', error.message, { cause: error });
    throw error;
  }
}

async function whySkill(index: Searchable, request: WhySkillRequest): Promise<WhyAnswer> {
  const { query, skill, page } = request;
  if (query.trim() === '')
    throw new GatewayError('REQUEST_INVALID', 'The query is empty: give the query to explain.');
  const { id } = resolveSkill(index.reader, skill, index.precedence);
  return why(
    {
      query,
      ordinal: ordinalOf(index.reader, id),
      accept: index.reader.accept([]),
      page,
    },
    index,
  );
}
