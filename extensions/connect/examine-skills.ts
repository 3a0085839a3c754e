/** The check of `skillgate doctor` about the folders of skills: how many skills they hold, and what their scan reports. */

import type { ProcessEnvironment } from '../../src/app/configured.ts';
import type { Check, Diagnostic, Settings, Severity } from '../../src/app/extension-api.ts';
import { openSources } from '../../src/app/open-sources.ts';
import { errorMessage } from '../../src/base/errors.ts';
import { counted, oneLine } from '../../src/base/text.ts';
import { readCatalog } from '../../src/sources/scan/catalog.ts';
import { check } from './checks.ts';

/** Diagnostics that are shown, the worst first; `skillgate validate` shows all. */
const SHOWN = 6;
const WORST_FIRST: readonly Severity[] = ['error', 'warning', 'info'];

/** Fetches nothing: a fetched source counts as it was fetched last. */
export async function examineSkills(settings: Settings, environment: ProcessEnvironment): Promise<Check> {
  try {
    const opened = await openSources(settings, environment);
    try {
      const { folders, diagnostics } = await readCatalog(opened.all);
      return skillsCheck(folders.length, diagnostics);
    } finally {
      await opened.close();
    }
  } catch (error) {
    return check('skills', 'note', `The folders of skills cannot be listed: ${errorMessage(error)}`);
  }
}

function skillsCheck(skills: number, diagnostics: readonly Diagnostic[]): Check {
  const sorted = diagnostics.toSorted(
    (a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity),
  );
  const faults = sorted.filter(({ severity }) => severity !== 'info');
  const found =
    diagnostics.length === 0 ? '' : ` ${counted(diagnostics.length, 'diagnostic')} of their folders.`;
  const lines = faults
    .slice(0, SHOWN)
    .map(({ id, path, message, fix = '' }) => oneLine(`${path}: ${message} ${fix} (${id})`));
  const more = faults.length > SHOWN ? [`skillgate validate shows ${faults.length - SHOWN} more.`] : [];
  return {
    ...check(
      'skills',
      faults.length === 0 ? 'ok' : 'note',
      `${counted(skills, 'skill')}.${found}`,
      ...lines,
      ...more,
    ),
    diagnostics: Object.fromEntries(
      WORST_FIRST.map((severity) => [
        severity,
        diagnostics.filter((one) => one.severity === severity).length,
      ]),
    ) as Record<Severity, number>,
  };
}
