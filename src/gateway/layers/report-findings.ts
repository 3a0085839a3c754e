/** Reports what a scan found suspicious in everything that a gateway delivers, skill by skill. */

import type { SearchHit } from '../../search/answer.ts';
import type { Finding, Mark } from '../../skills/suspicion.ts';
import type { CatalogEntry } from '../../sources/scan/entry.ts';
import { joinMarks, marksOfText } from '../findings.ts';
import type { Layer } from './layer.ts';

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

/** Gets the findings of one skill, and its URI where it is known. */
export type Report = (findings: readonly Finding[], uri?: string) => void;

type Notify = (
  skill: { readonly id: string; readonly uri?: string },
  marks: readonly Mark[] | undefined,
) => void;

/** Nothing is reported of clean texts. */
export const reportFindings = (report: Report): Layer => {
  const notify: Notify = ({ id, uri }, marks = []) => {
    if (marks.length === 0) return;
    const findings = marks.map((mark) => ({ skill: id, ...mark }));
    report(findings, uri);
  };
  return (next) => ({
    ...next,
    async search(request) {
      const answer = await next.search(request);
      notifyHits(answer.hits, notify);
      return answer;
    },
    async load(request) {
      const loaded = await next.load(request);
      notify(loaded.entry, loaded.entry.marks);
      return loaded;
    },
    async find(request) {
      const skill = await next.find(request);
      notify(skill.entry, skill.entry.marks);
      return skill;
    },
    async read(request) {
      const file = await next.read(request);
      if (file.kind === 'text') notify({ id: request.skill }, file.marks);
      return file;
    },
    async list(request) {
      const page = await next.list(request);
      notifyEntries(page.entries, notify);
      return page;
    },
    async publishable(request) {
      const page = await next.publishable(request);
      const entries = page.skills.map(({ entry }) => entry);
      notifyEntries(entries, notify);
      return page;
    },
    async publishableAt(uri) {
      const skill = await next.publishableAt(uri);
      if (skill !== undefined) notify(skill.entry, skill.entry.marks);
      return skill;
    },
  });
};

function notifyEntries(entries: readonly CatalogEntry[], notify: Notify): void {
  for (const entry of entries) notify(entry, entry.marks?.slice(0, MAX_PER_SKILL));
}

/** Excerpts of scripts are delivered too, and the index does not mark scripts. */
function notifyHits(hits: readonly Pick<SearchHit, 'entry' | 'evidence'>[], notify: Notify): void {
  for (const { entry, evidence } of hits) {
    const marks = evidence.flatMap(({ excerpt, path, lines: [from] }) => marksOfText(excerpt, path, from));
    const joined = joinMarks(entry.marks ?? [], marks).slice(0, MAX_PER_HIT);
    notify(entry, joined.map(shortened));
  }
}
