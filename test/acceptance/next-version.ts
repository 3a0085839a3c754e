/** The built program as its next version might be: its policy has one key more, and its index another format. */

import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { root } from './command.ts';

/** A key that only the next version knows. */
export const NEXT_KEY = 'quarantine';

const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/policySchema=strictObject\(\{/, `policySchema=strictObject({${NEXT_KEY}:array(glob).optional(),`],
  [/(lineOf=\(\{id(?::\w+)?\}\)=>`)\$\{\d+\}/, '$1next'],
];

/** Returns the path of its program. */
export function nextVersion(): string {
  const folder = temporaryFolder();
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  for (const name of ['models', 'node_modules', 'package.json'])
    symlinkSync(join(root, name), join(folder, name));
  const files = readdirSync(join(folder, 'dist')).filter((name) => /\.c?js$/.test(name));
  for (const [pattern, replacement] of CHANGES) {
    const changed = files.filter((name) => {
      const file = join(folder, 'dist', name);
      const text = readFileSync(file, 'utf8');
      if (!pattern.test(text)) return false;
      writeFileSync(file, text.replace(pattern, replacement));
      return true;
    });
    // The threads have files of their own.
    if (!changed.includes('program.cjs')) throw new Error(`${pattern} is not in the program.`);
  }
  return join(folder, 'dist/skillgate.cjs');
}
