/** `skillgate validate`: prints every diagnostic of every skill, and how to fix it. Opens no index. */

import { type CommonOptions, fetchFor, openSources, processEnvironment } from '../../app/public.ts';
import { readCatalog } from '../../catalog/public.ts';
import type { SkillDiagnostic } from '../../indexing/public.ts';
import { counted } from '../../mcp/public.ts';
import { readDocument } from '../../passages/public.ts';
import { EXIT } from '../exit-codes.ts';
import { colours, print, printJson, say } from '../output.ts';
import { settingsWithRoots } from './with-gateway.ts';

export interface ValidateOptions extends CommonOptions {
  readonly strict?: boolean;
}

export async function validate(dirs: readonly string[], options: ValidateOptions): Promise<void> {
  const settings = await settingsWithRoots({ ...options, skills: [...dirs, ...(options.skills ?? [])] });
  const sources = await openSources(settings, processEnvironment());
  await fetchFor('missing', sources, settings, { now: Date.now, log: say });
  const catalog = await readCatalog(sources.all);
  await sources.close();
  const diagnostics: SkillDiagnostic[] = catalog.diagnostics.map((diagnostic) => ({
    skill: null,
    diagnostic,
  }));
  let strict = 0;
  for (const folder of catalog.folders) {
    const document = readDocument(folder);
    if (document.skill?.strict) strict += 1;
    diagnostics.push(...document.diagnostics.map((diagnostic) => ({ skill: folder.id, diagnostic })));
  }
  const skills = catalog.folders.length;
  const errors = diagnostics.filter(({ diagnostic }) => diagnostic.severity === 'error').length;
  if (options.json === true) printJson({ skills, strict, errors, diagnostics });
  else {
    for (const found of diagnostics) show(found);
    print(
      `${counted(skills, 'skill')}: ${strict} ${strict === 1 ? 'meets' : 'meet'} the Agent Skills specification, ${counted(errors, 'error')}, ${counted(diagnostics.length - errors, 'other diagnostic')}.`,
    );
  }
  if (errors > 0 || (options.strict === true && strict < skills)) process.exitCode = EXIT.invalid;
}

function show({ skill, diagnostic }: SkillDiagnostic): void {
  const { severity, id, message, fix, path, position } = diagnostic;
  const colour = { error: colours.red, warning: colours.yellow, info: colours.dim }[severity];
  const location = [skill, path].filter((part) => part !== null).join('/');
  print(
    `${location}${position === undefined ? '' : `:${position.line}:${position.column}`} ${colour(severity)} ${message} ${colours.dim(id)}`,
  );
  if (fix !== undefined) print(`  ${colours.green('→')} ${fix}`);
}
