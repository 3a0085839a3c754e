/**
 * What a scan found suspicious in the texts that a gateway delivers. The rules are in `skills/suspicion.ts`; the catalog
 * knows the marks of indexed files, and a text that is read now is scanned again, because files change and the index holds
 * no scripts. Where the warning stands in an answer is each surface's decision.
 */

import type { SearchHit } from '../search/answer.ts';
import { type Finding, type Mark, suspicionsOf, withoutColumn } from '../skills/suspicion.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { Gateway, LoadedSkill, ReadResult, TextSlice } from './gateway.ts';

/** Characters of one delivered text that are scanned: more than the largest slice, and a few ms of work. */
export const SCANNED_CHARACTERS = 262_144;
/** Findings reported of one skill in a list, and in a search, whose answer has to be short. */
const MAX_PER_SKILL = 3;
const MAX_PER_HIT = 1;
/** Characters of its excerpt there. */
const HIT_EXCERPT = 32;

/** As a search shows it: loading the skill quotes all of it. */
const shortened = (mark: Mark): Mark =>
  mark.excerpt.length <= HIT_EXCERPT
    ? mark
    : { ...mark, excerpt: `${mark.excerpt.slice(0, HIT_EXCERPT).toWellFormed()}…` };

/** Marks of a delivered text; `firstLine` is the line of the file that it begins with. */
export function marksOfText(text: string, path: string, firstLine = 1): Mark[] {
  return suspicionsOf(text.slice(0, SCANNED_CHARACTERS), path).map((mark) => ({
    ...withoutColumn(mark),
    line: mark.line + firstLine - 1,
  }));
}

const marksOfSlice = ({ text, lines: [from] }: TextSlice, path: string) => marksOfText(text, path, from);

/** The marks of both, each once: a rule, a file and a line. */
function joined(known: readonly Mark[], found: readonly Mark[]): Mark[] {
  const all = [...known, ...found].map((mark) => [`${mark.id} ${mark.path}:${mark.line}`, mark] as const);
  return [...new Map(all).values()];
}

/** The skill with the marks of its instructions as they are now. */
export function withMarks<Loaded extends Pick<LoadedSkill, 'entry' | 'instructions'>>(
  loaded: Loaded,
): Loaded {
  const { entry, instructions } = loaded;
  const marks = joined(entry.marks ?? [], marksOfSlice(instructions, entry.file));
  return marks.length === 0 ? loaded : { ...loaded, entry: { ...entry, marks } };
}

/** The text of a file with its marks. An image has none. */
export function withFileMarks(read: ReadResult, { marks = [] }: CatalogEntry): ReadResult {
  if (read.kind === 'image') return read;
  const known = marks.filter(({ path }) => path === read.path);
  const found = joined(known, marksOfSlice(read.slice, read.path));
  return found.length === 0 ? read : { ...read, marks: found };
}

/**
 * The same gateway; `report` gets the findings of everything that it delivers, skill by skill, with the skill's URI where
 * it is known. Nothing is reported of clean texts.
 */
export function withFindings<Reported extends Gateway>(
  gateway: Reported,
  report: (findings: readonly Finding[], uri?: string) => void,
): Reported {
  const notify = ({ id, uri }: { id: string; uri?: string }, marks: readonly Mark[] = []) => {
    if (marks.length > 0)
      report(
        marks.map((mark) => ({ skill: id, ...mark })),
        uri,
      );
  };
  const ofEntries = (entries: readonly CatalogEntry[]) => {
    for (const entry of entries) notify(entry, entry.marks?.slice(0, MAX_PER_SKILL));
  };
  // Excerpts of scripts are delivered too, and the index does not mark scripts.
  const ofHits = (hits: readonly Pick<SearchHit, 'entry' | 'evidence'>[]) => {
    for (const { entry, evidence } of hits) {
      const found = evidence.flatMap(({ excerpt, path, lines: [from] }) => marksOfText(excerpt, path, from));
      notify(
        entry,
        joined(entry.marks ?? [], found)
          .slice(0, MAX_PER_HIT)
          .map(shortened),
      );
    }
  };
  return {
    ...gateway,
    async search(request) {
      const answer = await gateway.search(request);
      ofHits(answer.hits);
      return answer;
    },
    async load(request) {
      const loaded = await gateway.load(request);
      notify(loaded.entry, loaded.entry.marks);
      return loaded;
    },
    async find(request) {
      const found = await gateway.find(request);
      notify(found.entry, found.entry.marks);
      return found;
    },
    async read(request) {
      const read = await gateway.read(request);
      if (read.kind === 'text') notify({ id: request.skill }, read.marks);
      return read;
    },
    async list(request) {
      const page = await gateway.list(request);
      ofEntries(page.entries);
      return page;
    },
    async publishable(request) {
      const page = await gateway.publishable(request);
      ofEntries(page.skills.map(({ entry }) => entry));
      return page;
    },
    async publishableAt(uri) {
      const found = await gateway.publishableAt(uri);
      if (found !== undefined) notify(found.entry, found.entry.marks);
      return found;
    },
  };
}
