/**
 * The Improve view: what is worth doing, the worst first, from what validation remarks, from collisions, and from what agents
 * asked in vain. Each item names one thing; the page decides how it looks.
 */

import { ruleMeaning } from '../../src/skills/diagnostics.ts';
import type { Item, Remark, Worklist } from './api.ts';

/** Remarks on what endangers an agent that follows the skill, and those of files that are missing. */
const DANGERS: ReadonlySet<string> = new Set(['secret-found', 'text-suspicious']);
const DEAD: ReadonlySet<string> = new Set(['link-dead', 'mention-dead']);
/** Items of one kind, and skills of one item. */
const MOST = 200;
const SKILLS = 60;

export interface WorkOptions {
  readonly skills: readonly { readonly id: string; readonly source: string; readonly mine: boolean }[];
  /** By id of the skill. */
  readonly remarks: ReadonlyMap<string, readonly Remark[]>;
  /** Pairs of ids, the hardest to tell apart first. */
  readonly collisions: readonly (readonly [string, string])[];
  /** Requests that nothing fitted, with how often; none without an audit log. */
  readonly asked: readonly { readonly request: string; readonly weak: number; readonly loaded: number }[];
}

export function worklist(options: WorkOptions): Pick<Worklist, 'folders' | 'items'> {
  const { skills, remarks, collisions, asked } = options;
  const hasSources = new Set(skills.map(({ source }) => source)).size > 1;
  const folderBySkill = new Map<string, string>();
  const folders = new Map<string, { name: string; skills: number; mine: boolean }>();
  for (const { id, source, mine } of skills) {
    const name = skillFolder(id, hasSources ? source : '');
    folderBySkill.set(id, name);
    folders.set(name, { name, mine, skills: (folders.get(name)?.skills ?? 0) + 1 });
  }
  const folder = (id: string) => folderBySkill.get(id) ?? null;
  const marks = [...remarks].flatMap(([skill, list]) =>
    list.map((remark) => ({ kind: classify(remark), folder: folder(skill), skill, remark })),
  );
  const single = (kind: 'danger' | 'unloadable'): Item[] =>
    marks.flatMap((mark) => (mark.kind === kind ? [{ ...mark, kind }] : [])).slice(0, MOST);
  return {
    folders: [...folders.values()].sort((a, b) => b.skills - a.skills),
    items: [
      ...single('danger'),
      ...single('unloadable'),
      ...asked
        .filter(({ loaded }) => loaded === 0)
        .slice(0, MOST)
        .map(({ request, weak }) => ({ kind: 'asked' as const, folder: null, query: request, times: weak })),
      ...collisions
        .filter(([a, b]) => folder(a) === folder(b))
        .slice(0, MOST)
        .map((ids) => ({ kind: 'collision' as const, folder: folder(ids[0]), ids })),
      ...grouped('dead', marks),
      ...grouped('small', marks),
    ],
  };
}

type MarkKind = 'danger' | 'unloadable' | 'dead' | 'small';

const classify = ({ id, severity }: Remark): MarkKind =>
  DANGERS.has(id) ? 'danger' : severity === 'error' ? 'unloadable' : DEAD.has(id) ? 'dead' : 'small';

/** Where a skill comes from: the first folder of its id, which is a repository in a catalog of several; else its source. */
const skillFolder = (id: string, source: string) =>
  [source, ...id.split('/').slice(0, -1).slice(0, 1)].filter((part) => part !== '').join(': ') || '.';

interface Mark {
  readonly kind: MarkKind;
  readonly folder: string | null;
  readonly skill: string;
  readonly remark: Remark;
}

/** One item for the remarks of one rule in one folder, those on most skills first. */
function grouped(kind: 'dead' | 'small', marks: readonly Mark[]): Item[] {
  const groups = new Map<string, Map<string, Mark>>();
  for (const mark of marks) {
    if (mark.kind !== kind) continue;
    const key = `${mark.folder}\0${kind === 'dead' ? '' : mark.remark.id}`;
    const group = groups.get(key) ?? new Map();
    groups.set(key, group);
    if (!group.has(mark.skill)) group.set(mark.skill, mark);
  }
  return [...groups.values()]
    .map((group) => {
      const list = [...group.values()];
      const { folder, remark } = list[0]!;
      return {
        kind,
        folder,
        meaning: kind === 'dead' ? 'Named files are missing.' : ruleMeaning(remark.id),
        skills: list.length,
        remarks: list.slice(0, SKILLS).map((mark) => ({ skill: mark.skill, remark: mark.remark })),
      };
    })
    .sort((a, b) => b.skills - a.skills);
}
