/** The catalog of a working folder: the company's skills, and others drawn at random around them. */

import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ListedSkill } from '../../extensions/connect/listing.ts';
import { parseSkill } from '../../src/skills/parse.ts';
import type { SkillFolder } from '../../src/sources/source.ts';
import { seeded, shuffled } from '../evaluation/statistics.ts';
import { sourcesOf } from '../sources.ts';
import { COMPANY_SKILLS } from './tasks.ts';

interface Draw {
  /** Folders that hold the others. */
  readonly skills: readonly string[];
  /** How many of the others are taken, at most. */
  readonly size: number;
  readonly seed: number;
}

/** Copies the skills to `folder`, each as a folder of its name. Returns them by name; no two have the same. */
export async function fillCatalog(folder: string, draw: Draw): Promise<readonly ListedSkill[]> {
  const kept = new Map<string, ListedSkill>();
  const keep = (from: SkillFolder) => {
    const skill = listedOf(from);
    if (skill === null || kept.has(skill.name)) return false;
    for (const { path } of from.files) {
      const target = join(folder, skill.name, path);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(join(from.folder, path), target);
    }
    kept.set(skill.name, skill);
    return true;
  };
  for (const own of await foldersIn([COMPANY_SKILLS]))
    if (!keep(own)) throw new Error(`${own.folder} is no skill, or there are two of it.`);
  let left = draw.size;
  for (const other of shuffled(await foldersIn(draw.skills), seeded(draw.seed))) {
    if (left === 0) break;
    if (keep(other)) left -= 1;
  }
  return [...kept.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function foldersIn(roots: readonly string[]): Promise<readonly SkillFolder[]> {
  const scans = await Promise.all(sourcesOf(roots).map((source) => source.scan()));
  return scans.flatMap(({ folders }) => folders);
}

/** Null where there is no description, or a name that is no folder name. */
function listedOf({ folder, file }: SkillFolder): ListedSkill | null {
  const { name, description } = parseSkill(readFileSync(join(folder, file)), { path: file, folder: '' });
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name) || description.trim() === '') return null;
  return { name, description: description.replace(/\s+/g, ' ').trim() };
}
