/** Sources of a corpus: folders of skills, the rows of a published collection, and subsets of either. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localSource } from '../src/sources/local.ts';
import type { Source } from '../src/sources/source.ts';

/** One source per folder. Skills keep their ids unless two folders use the same one. */
export function sourcesOf(folders: readonly string[]): Source[] {
  return folders.map((root, index) => localSource({ name: `skills-${index + 1}`, root }));
}

/** The same sources, each scanned only once: a search for changes would disturb a measurement. */
export function scanOnce(sources: readonly Source[]): Source[] {
  return sources.map((source) => {
    let found: ReturnType<Source['scan']> | undefined;
    return {
      name: source.name,
      scan: (signal) => {
        found ??= source.scan(signal);
        return found;
      },
      filesOf: (folder) => source.filesOf(folder),
    };
  });
}

/** The sources with only the skills whose ids are wanted. */
export function filterSources(sources: readonly Source[], wanted: (id: string) => boolean): Source[] {
  return sources.map((source) => ({
    name: source.name,
    scan: async (signal) => {
      const { folders, diagnostics } = await source.scan(signal);
      return { folders: folders.filter(({ id }) => wanted(id)), diagnostics };
    },
    filesOf: (folder) => source.filesOf(folder),
  }));
}

/** A document of a collection without skills. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/**
 * Writes each row as a skill: title as name, text as description, no body. Folders have numbers, because a row id may not
 * be a valid file name. `idOf` maps the id of a row to the id of its skill.
 */
export async function rowsAsSkills(rows: readonly Row[]): Promise<{
  readonly folder: string;
  readonly idOf: ReadonlyMap<string, string>;
  readonly remove: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'skillgate-rows-'));
  const idOf = new Map<string, string>();
  for (const [index, { id, title, text }] of rows.entries()) {
    const name = `row-${String(index + 1).padStart(6, '0')}`;
    idOf.set(id, name);
    await mkdir(join(folder, name));
    // A JSON string is a YAML string.
    const frontmatter = `---\nname: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(text)}\n---\n`;
    await writeFile(join(folder, name, 'SKILL.md'), frontmatter);
  }
  return { folder, idOf, remove: () => rm(folder, { recursive: true, force: true }) };
}
