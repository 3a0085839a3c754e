/** The fixture skills, parsed: valid ones, and broken ones with the diagnostics they must yield. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parseSkill } from '../../../src/skills/parse.ts';
import type { Skill } from '../../../src/skills/skill.ts';

const ROOT = join(import.meta.dirname, '../../fixtures/skills');

export interface Fixture {
  readonly name: string;
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly skill: Skill;
}

export function fixturesOf(group: 'valid' | 'broken'): Fixture[] {
  const folders = readdirSync(join(ROOT, group), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return folders.map(({ name }) => fixture(group, name));
}

export function fixture(group: 'valid' | 'broken', name: string): Fixture {
  const file = readdirSync(join(ROOT, group, name)).find((entry) => /^skill\.md$/i.test(entry)) ?? '';
  const bytes = readFileSync(join(ROOT, group, name, file));
  // Parsed anew by each test, so that a tool that changes the code sees which tests notice.
  return {
    name,
    file,
    bytes,
    get skill() {
      return parseSkill(bytes, { path: file, folder: name });
    },
  };
}

/** Problems of each broken fixture, in order: `id line:column`, or `id` for one of the whole file. */
export function expectedProblems(): Record<string, string[]> {
  const json: unknown = JSON.parse(readFileSync(join(ROOT, 'broken/expected.json'), 'utf8'));
  return z.record(z.string(), z.array(z.string())).parse(json);
}

/** The problems of a skill as `expectedProblems` writes them. */
export function problemsOf({ diagnostics }: Pick<Skill, 'diagnostics'>): string[] {
  return diagnostics.map(({ id, position }) =>
    position === undefined ? id : `${id} ${position.line}:${position.column}`,
  );
}
