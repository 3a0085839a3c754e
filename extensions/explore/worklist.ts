/**
 * The Improve view: what is worth doing, the worst first, from what validation remarks, from collisions, and from the searches
 * and loads of agents in the audit log. Each item names one thing; the page decides how it looks.
 */

import { ruleMeaning } from '../../src/skills/diagnostics.ts';
import type { LoggedCall } from '../usage/calls.ts';
import type { Usage } from '../usage/usage.ts';
import type { Item, Remark, Worklist } from './api.ts';

/** Remarks on what endangers an agent that follows the skill, and those of files that are missing. */
const DANGERS: ReadonlySet<string> = new Set(['secret-found', 'text-suspicious']);
const DEAD: ReadonlySet<string> = new Set(['link-dead', 'mention-dead']);
/** Items of one kind, and skills of one item. */
const MOST = 200;
const SKILLS = 60;
/** A skill that was loaded from this rank or below, or found so often in vain, is worth another description. */
const LATE = 3;
/** A load belongs to the search of the same caller before it, within this time, ms. */
const BELONGS_MS = 30 * 60_000;

export interface WorkOptions {
  readonly skills: readonly { readonly id: string; readonly source: string; readonly mine: boolean }[];
  /** By id of the skill. */
  readonly remarks: ReadonlyMap<string, readonly Remark[]>;
  /** Pairs of ids, the hardest to tell apart first. */
  readonly collisions: readonly { readonly ids: readonly [string, string]; readonly closeness: number }[];
  /** Of agents; null without an audit log. */
  readonly use: { readonly calls: readonly LoggedCall[]; readonly usage: Usage } | null;
}

export function worklist({
  skills,
  remarks,
  collisions,
  use,
}: WorkOptions): Pick<Worklist, 'folders' | 'items'> {
  const sources = new Set(skills.map(({ source }) => source));
  const folderBySkill = new Map(
    skills.map(({ id, source }) => [id, skillFolder(id, sources.size > 1 ? source : '')]),
  );
  const folder = (id: string) => folderBySkill.get(id) ?? null;
  const folders = new Map<string, { name: string; skills: number; mine: boolean }>();
  for (const { id, mine } of skills) {
    const name = folder(id)!;
    const known = folders.get(name) ?? { name, skills: 0, mine };
    known.skills += 1;
    folders.set(name, known);
  }
  const each = [...remarks].flatMap(([skill, own]) =>
    own.map((remark) => ({ folder: folder(skill), skill, remark })),
  );
  const dangers = each.filter(({ remark }) => DANGERS.has(remark.id));
  const errors = each.filter(({ remark }) => remark.severity === 'error' && !DANGERS.has(remark.id));
  const rest = each.filter(({ remark }) => remark.severity !== 'error' && !DANGERS.has(remark.id));
  return {
    folders: [...folders.values()].sort((a, b) => b.skills - a.skills),
    items: [
      ...dangers.slice(0, MOST).map((item) => ({ kind: 'danger' as const, ...item })),
      ...errors.slice(0, MOST).map((item) => ({ kind: 'unloadable' as const, ...item })),
      ...(use === null ? [] : fromUse(use, folder)),
      ...collisions
        .filter(({ ids: [a, b] }) => folder(a) === folder(b))
        .slice(0, MOST)
        .map((pair) => ({ kind: 'collision' as const, folder: folder(pair.ids[0]), ...pair })),
      ...grouped(
        'dead',
        rest.filter(({ remark }) => DEAD.has(remark.id)),
      ),
      ...grouped(
        'small',
        rest.filter(({ remark }) => !DEAD.has(remark.id)),
      ),
    ],
  };
}

/** Where a skill comes from: the first folder of its id, which is a repository in a catalog of several; else its source. */
const skillFolder = (id: string, source: string) =>
  [source, ...id.split('/').slice(0, -1).slice(0, 1)].filter((part) => part !== '').join(': ') || '.';

function fromUse(
  { calls, usage }: NonNullable<WorkOptions['use']>,
  folder: (id: string) => string | null,
): Item[] {
  const late = new Map<string, { skill: string; query: string; rank: number }>();
  const last = new Map<string, LoggedCall>();
  for (const call of calls) {
    if (call.call === 'search') last.set(call.who, call);
    const search = last.get(call.who);
    if (call.call !== 'load' || call.outcome !== 'ok' || search === undefined) continue;
    if (Date.parse(call.time) - Date.parse(search.time) > BELONGS_MS) continue;
    const rank = (search.hits?.indexOf(call.skill ?? '') ?? -1) + 1;
    if (rank >= LATE)
      late.set(`${call.skill} ${search.query}`, { skill: call.skill!, query: search.query ?? '', rank });
  }
  return [
    ...usage.weak
      .filter(({ loaded }) => loaded === 0)
      .slice(0, MOST)
      .map(({ request, weak }) => ({ kind: 'asked' as const, folder: null, query: request, times: weak })),
    ...[...late.values()]
      .filter(({ skill }) => folder(skill) !== null)
      .slice(0, MOST)
      .map((item) => ({ kind: 'late' as const, folder: folder(item.skill), ...item })),
    ...usage.neverLoaded
      .slice(0, MOST)
      .map(({ id, found }) => ({ kind: 'unloaded' as const, folder: folder(id), skill: id, times: found })),
  ];
}

type Found = { readonly folder: string | null; readonly skill: string; readonly remark: Remark };

/** One item for the remarks of one rule in one folder, those on most skills first. */
function grouped(kind: 'dead' | 'small', remarks: readonly Found[]): Item[] {
  const groups = new Map<string, Map<string, Found>>();
  for (const each of remarks) {
    const key = `${each.folder}\0${kind === 'dead' ? '' : each.remark.id}`;
    const group = groups.get(key) ?? new Map();
    groups.set(key, group);
    if (!group.has(each.skill)) group.set(each.skill, each);
  }
  return [...groups.values()]
    .map((group) => {
      const [first] = group.values();
      return {
        kind,
        folder: first!.folder,
        meaning: kind === 'dead' ? 'Named files are missing.' : ruleMeaning(first!.remark.id),
        skills: group.size,
        remarks: [...group.values()].slice(0, SKILLS).map(({ skill, remark }) => ({ skill, remark })),
      };
    })
    .sort((a, b) => b.skills - a.skills);
}
