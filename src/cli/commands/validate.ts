/** `skillgate validate`: every remark on every skill, with what to write instead. Opens no index. */

import { readCatalog } from '../../catalog/catalog.ts';
import type { SkillDiagnostic } from '../../indexing/report.ts';
import { readDocument } from '../../passages/document.ts';
import { EXIT } from '../exit-codes.ts';
import { colours, print, printJson, say } from '../output.ts';
import { type CommonOptions, surroundings } from '../settings.ts';
import { fetchFor, openSources } from '../sources.ts';
import { settingsWithRoots } from './with-gateway.ts';

export interface ValidateOptions extends CommonOptions {
  readonly strict?: boolean;
}

export async function validate(dirs: readonly string[], options: ValidateOptions): Promise<void> {
  const settings = await settingsWithRoots({ ...options, skills: [...dirs, ...(options.skills ?? [])] });
  const sources = await openSources(settings, surroundings());
  await fetchFor('missing', sources, settings, { now: Date.now, log: say });
  const catalog = await readCatalog(sources.all);
  await sources.close();
  const remarks: SkillDiagnostic[] = catalog.diagnostics.map((diagnostic) => ({ skill: null, diagnostic }));
  let strict = 0;
  for (const folder of catalog.folders) {
    const { skill, diagnostics } = readDocument(folder);
    if (skill?.strict) strict += 1;
    remarks.push(...diagnostics.map((diagnostic) => ({ skill: folder.id, diagnostic })));
  }
  const skills = catalog.folders.length;
  const errors = remarks.filter(({ diagnostic }) => diagnostic.severity === 'error').length;
  if (options.json === true) printJson({ skills, strict, errors, diagnostics: remarks });
  else {
    for (const remark of remarks) show(remark);
    print(
      `${skills} skills: ${strict} meet the Agent Skills specification, ${errors} errors, ${remarks.length - errors} other remarks.`,
    );
  }
  if (errors > 0 || (options.strict === true && strict < skills)) process.exitCode = EXIT.invalid;
}

function show({ skill, diagnostic }: SkillDiagnostic): void {
  const { severity, id, message, mend, path, position } = diagnostic;
  const colour = { error: colours.red, warning: colours.yellow, info: colours.dim }[severity];
  const place = [skill, path].filter((part) => part !== null).join('/');
  print(
    `${place}${position === undefined ? '' : `:${position.line}:${position.column}`} ${colour(severity)} ${message} ${colours.dim(id)}`,
  );
  if (mend !== undefined) print(`  ${colours.green('→')} ${mend}`);
}
