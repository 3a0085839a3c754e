/** Shows what a project's configuration asks for, and asks a person on a terminal whether to trust it. */

import type { Settings } from '../app/config/untrusted.ts';
import type { ProjectTrust } from '../app/trust.ts';
import { toJsonLines } from '../base/lines.ts';
import { quote } from '../base/text.ts';
import { coloured, formatDiff } from './diff.ts';
import { colours, confirmed, sayText } from './output.ts';

/** Lines around a change that a diff shows. */
const CONTEXT = 3;
/** Characters that are invisible, or change how a terminal shows others. */
const DECEPTIVE = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Shows the settings and asks; null where no one can be asked. */
export async function trustAsked(project: ProjectTrust): Promise<boolean | null> {
  sayText(trustText(project));
  return confirmed('Trust these settings?');
}

/** What a person is asked about: the settings, or how they changed. */
export function trustText({ file, settings, before }: ProjectTrust): string {
  const name = quote(file);
  const after = settingsText(settings);
  if (before === null) return `${colours.bold(`${name} asks for:`)}\n${after}`;
  const title = colours.bold(`${name} changed since you trusted it:`);
  const change = { file: 'settings', before: `${settingsText(before)}\n`, after: `${after}\n` };
  return `${title}\n${coloured(formatDiff(change, CONTEXT))}`;
}

/** Everything that is trusted, as JSON over several lines: what a person does not see they cannot trust. */
export const settingsText = (settings: Settings): string =>
  toJsonLines(settings).replace(DECEPTIVE, (found) =>
    found.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
