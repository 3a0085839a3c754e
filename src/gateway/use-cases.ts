/** The use cases of a gateway over a library. What surrounds them is `pipeline.ts`. */

import type { Reader } from '../../index/reader/reader.ts';
import type { LibraryView, ServedLibrary } from '../catalog/library.ts';
import type { CatalogSummary } from '../catalog/summary.ts';
import type { Filter } from '../search/answer.ts';
import { CursorError } from '../search/answer.ts';
import { copiesOf } from '../search/copies.ts';
import { passagesFor } from '../search/evidence.ts';
import { acceptedBy, entryAt, type Searchable, search } from '../search/search.ts';
import { withFileMarks, withMarks } from './findings.ts';
import type { Gateway, SkillPage } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';
import type { loadSkill } from './load-skill.ts';
import { encodeCursor, readPosition } from './page-cursor.ts';
import { LIST, publishable, publishableAt, publishableUnindexed } from './publish.ts';
import type { readReference } from './read-reference.ts';
import { MISSED_WAIT_MS, resolveNow, shortId } from './resolve.ts';
import { findFiles } from './skill-files.ts';
import { completeName, completeSkill, labelSkill } from './skill-names.ts';

/** Most hits of one page. */
const MAX_HITS = 50;
/** Most entries of one page of the list. */
const MAX_ENTRIES = 200;
/** Most skills of one page of publishable ones: clients walk a limited number of pages. */
const MAX_PUBLISHABLE = 500;
/** Bounds of a token budget. */
const TOKENS = [100, 50_000] as const;

type IsThere = NonNullable<ServedLibrary['isThere']>;

/** Loaded on first use: a process that only searches does not need these parsers. */
const load: typeof loadSkill = async (...args) => (await import('./load-skill.ts')).loadSkill(...args);
const read: typeof readReference = async (...args) =>
  (await import('./read-reference.ts')).readReference(...args);

/** Each call reads one snapshot of the library. */
export function useCases(library: LibraryView, isThere: IsThere): Gateway {
  return {
    async search(request) {
      between('limit', request.limit, 1, MAX_HITS);
      let index = await library.current();
      let answer = await withCursorErrors(() => search(request, index));
      // What changed just now may be what is missing.
      if (answer.weak && index.isBehind === true) {
        const later = await library.current({ waitMs: MISSED_WAIT_MS });
        if (later.reader !== index.reader || later.isBehind !== true)
          answer = await withCursorErrors(() => search(request, later));
        index = later;
      }
      // A skill that was deleted just now is not named, whatever the watcher has seen so far.
      if (!answer.hits.every(({ entry }) => isThere(entry))) {
        index = await library.current({ fresh: true });
        answer = await withCursorErrors(() => search(request, index));
      }
      const hits = withShortIds(answer.hits, index);
      const { also, ...page } = answer;
      return { ...page, hits, ...(also !== undefined && { also: withShortIds(also, index) }) };
    },

    async load({ skill, query = '', ...request }) {
      budget(request.maxTokens);
      const { entry, index } = await resolveNow(library, skill);
      const { reader, precedence } = index;
      const loaded = withMarks(await load(entry, request, await findFiles(library, entry)));
      const copies = copiesOf(reader, entry, precedence);
      const ordinal = reader.ordinalOf(entry.id);
      return {
        ...loaded,
        shortId: shortId(reader, entry.id, precedence),
        ...(copies.length > 0 && { copies }),
        ...(query.trim() !== '' && ordinal !== null && { startAt: await passagesFor(query, ordinal, index) }),
      };
    },

    async find({ skill }) {
      const resolved = await resolveNow(library, skill);
      const files = await findFiles(library, resolved.entry);
      const loaded = withMarks(await load(resolved.entry, { maxTokens: TOKENS[0] }, files));
      const { entry, frontmatter } = loaded;
      return { entry, files, frontmatter };
    },

    async read({ skill, ...request }) {
      budget(request.maxTokens);
      if (request.lines !== undefined && request.heading !== undefined)
        throw new GatewayError('REQUEST_INVALID', 'Ask for lines or for a heading, not for both.');
      const { entry } = await resolveNow(library, skill);
      return withFileMarks(await read(entry, request, await findFiles(library, entry)), entry);
    },

    async list({ cursor, offset: from = 0, limit, audience }) {
      between('limit', limit, 1, MAX_ENTRIES);
      between('offset', from, 0, Number.MAX_SAFE_INTEGER);
      const { reader } = await library.current({ fresh: true });
      const all = ordinalsFor(reader, audience);
      const first = cursor === undefined ? from : readPosition(reader, all, cursor, 'list');
      const entries = Array.from(all.subarray(first, first + limit), (ordinal) => entryAt(reader, ordinal));
      const page: SkillPage = { total: all.length, entries };
      const last = entries.at(-1);
      return last !== undefined && first + limit < all.length
        ? { ...page, nextCursor: encodeCursor(last.id, 'list') }
        : page;
    },

    async labels(entries) {
      const { reader } = await library.current();
      return Promise.all(entries.map((entry) => labelSkill(reader, entry)));
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
      const from = readPosition(reader, all, cursor, LIST);
      const skills = await publishable(library, reader, all.subarray(from, from + limit));
      return { skills, more: from + limit < all.length };
    },

    async publishableAt(uri) {
      const { reader, precedence, isBehind } = await library.current();
      const skill = await publishableAt(library, reader, uri, precedence);
      if (skill !== undefined || isBehind !== true) return skill;
      const unindexed = await publishableUnindexed(library, reader, uri);
      if (unindexed !== undefined) return unindexed;
      const later = await library.current({ waitMs: MISSED_WAIT_MS });
      return publishableAt(library, later.reader, uri, later.precedence);
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
