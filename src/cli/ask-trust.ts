/** Shows what a project's configuration asks for, and asks a person on a terminal whether to trust it. */

import { createInterface } from 'node:readline/promises';
import type { ProjectTrust } from '../app/trust/project.ts';
import { settingsText } from '../app/trust/shown.ts';
import { coloured, diffOf } from './diff.ts';
import { colours, isTerminal, say } from './output.ts';

/** Lines around a change that a diff shows. */
const CONTEXT = 3;

/** Shows the settings and asks; null where nobody can be asked. */
export async function trustAsked(project: ProjectTrust): Promise<boolean | null> {
  say(trustText(project));
  if (!isTerminal()) return null;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await prompt.question('Trust these settings? [y/N] ')).trim());
  } finally {
    prompt.close();
  }
}

/** What a person is asked about: the settings, or how they changed. */
export function trustText({ file, settings, before }: ProjectTrust): string {
  const name = JSON.stringify(file);
  const after = settingsText(settings);
  if (before === null) return `${colours.bold(`${name} asks for:`)}\n${after}`;
  const title = colours.bold(`${name} changed since you trusted it:`);
  const old = settingsText(before);
  if (old === after) return `${title}\n${after}\nThe change is in a value that is masked here.`;
  return `${title}\n${coloured(diffOf({ file: 'settings', before: `${old}\n`, after: `${after}\n` }, CONTEXT))}`;
}
