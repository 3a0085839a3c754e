/**
 * `skillgate validate`: prints every diagnostic of every skill and how to fix it, for people, programs and code hosts, and
 * fixes what is mechanical. Opens no index on disk.
 */

import { readFileSync, renameSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { writeWhole } from '../../app/lockfile.ts';
import { modelsFolder } from '../../app/model.ts';
import { fetchFor, openSources } from '../../app/open-sources.ts';
import { type CommonOptions, processEnvironment, type Settings } from '../../app/settings.ts';
import { checkSkill } from '../../authoring/check-skill.ts';
import { checkCollisions, type Described } from '../../authoring/collision-remarks.ts';
import { type Located, toGithub, toSarif } from '../../authoring/report.ts';
import { counted } from '../../mcp/text.ts';
import { openEmbedder } from '../../search/embedding/open.ts';
import { readDocument } from '../../search/passages/document.ts';
import { fixedText } from '../../skills/fix.ts';
import { readCatalog } from '../../sources/scan/catalog.ts';
import type { SkillFolder, Source } from '../../sources/source.ts';
import { coloured, diffOf } from '../diff.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { colours, print, printJson, say } from '../output.ts';
import { settingsWithRoots } from './with-gateway.ts';

export interface ValidateOptions extends CommonOptions {
  readonly strict?: boolean;
  readonly format: 'text' | 'json' | 'sarif' | 'github';
  readonly fix?: boolean;
  readonly dryRun?: boolean;
}

const HOMEPAGE = 'https://github.com/skillgate/skillgate';
/** Skills whose descriptions are compared: their texts are embedded, 5,000 in half a minute. */
const MAX_COMPARED = 5_000;
/** Lines around a change that a diff shows. */
const CONTEXT = 3;

export async function validate(
  dirs: readonly string[],
  options: ValidateOptions,
  version: string,
): Promise<void> {
  if (options.dryRun === true && options.fix !== true)
    throw new CliError('USAGE', '--dry-run shows what --fix would write: it needs --fix.');
  const settings = await settingsWithRoots({ ...options, skills: [...dirs, ...(options.skills ?? [])] });
  const sources = await openSources(settings, processEnvironment());
  const format = options.json === true ? 'json' : options.format;
  try {
    await fetchFor('missing', sources, settings, { now: Date.now, log: say });
    const fixed = options.fix === true ? await fix(sources.all, settings, options) : [];
    const report = await examine(sources.all);
    const { skills, strict, errors, found } = report;
    if (format === 'json')
      printJson({
        skills,
        strict,
        errors,
        diagnostics: found.map(({ skill, diagnostic }) => ({ skill, diagnostic })),
        ...(options.fix === true ? { fixed } : {}),
      });
    else if (format === 'sarif') printJson(toSarif(found, { version, url: HOMEPAGE }));
    else if (format === 'github') for (const line of toGithub(found)) print(line);
    else show(report);
    if (errors > 0 || (options.strict === true && strict < skills)) process.exitCode = EXIT.invalid;
  } finally {
    await sources.close();
  }
}

interface Report {
  readonly skills: number;
  /** How many the specification's validator accepts. */
  readonly strict: number;
  readonly errors: number;
  readonly found: readonly Located[];
}

async function examine(sources: readonly Source[]): Promise<Report> {
  const catalog = await readCatalog(sources);
  const found: Located[] = catalog.diagnostics.map((diagnostic) => ({
    file: diagnostic.path,
    skill: null,
    diagnostic,
  }));
  let strict = 0;
  const described: Described[] = [];
  for (const folder of catalog.folders) {
    const { document, skill, diagnostics } = readDocument(folder);
    if (skill?.strict) strict += 1;
    if (document !== null) described.push({ document, path: folder.file });
    const more = skill === null ? [] : checkSkill(folder, skill);
    for (const diagnostic of [...diagnostics, ...more])
      found.push({ file: shownPath(join(folder.folder, diagnostic.path)), skill: folder.id, diagnostic });
  }
  if (described.length > MAX_COMPARED)
    say(
      `${described.length} skills are too many to compare their descriptions here; skillgate stats --collisions does it with an index.`,
    );
  else {
    const remarks = await checkCollisions(
      described,
      await openEmbedder(undefined, { modelsFolder: modelsFolder() }),
    );
    for (const { id, folder } of catalog.folders) {
      const diagnostic = remarks.get(id);
      if (diagnostic !== undefined)
        found.push({ file: shownPath(join(folder, diagnostic.path)), skill: id, diagnostic });
    }
  }
  const errors = found.filter(({ diagnostic }) => diagnostic.severity === 'error').length;
  return { skills: catalog.folders.length, strict, errors, found };
}

/** Below the working directory relative to it, with `/`. */
function shownPath(file: string): string {
  const path = relative(processEnvironment().cwd, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path.replaceAll('\\', '/');
}

/** One skill file that was fixed, as printed with --json. */
interface Fixed {
  readonly skill: string;
  readonly file: string;
  readonly fixed: readonly string[];
  readonly diff: string;
}

/** Only in folders of this machine: a fetched copy is its owner's to fix. */
async function fix(
  sources: readonly Source[],
  settings: Settings,
  { dryRun = false, json = false, format }: ValidateOptions,
): Promise<Fixed[]> {
  const local = new Set(
    settings.sources.flatMap(({ name, config }) => (config.kind === 'local' ? name : [])),
  );
  const { folders } = await readCatalog(sources);
  const fixed = folders.filter(({ source }) => local.has(source)).flatMap((folder) => fixOne(folder, dryRun));
  if (!json && format === 'text') {
    for (const { diff } of fixed) print(coloured(diff));
    const verb = dryRun ? 'would be fixed' : 'fixed; the diff above, reversed, gives the files as they were';
    say(`${counted(fixed.length, 'skill')} ${verb}.`);
  }
  return fixed;
}

function fixOne({ id, folder, file, uri }: SkillFolder, dryRun: boolean): Fixed[] {
  const path = join(folder, file);
  const bytes = readFileSync(path);
  const name = decodeURIComponent(uri.split('/').at(-2) ?? '');
  const result = fixedText(bytes, { path: file, folder: name });
  const target = join(folder, 'SKILL.md');
  const isMisnamed = file !== 'SKILL.md';
  if (result === null && !isMisnamed) return [];
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const after = result?.text ?? before;
  const shown = shownPath(path);
  const rename = isMisnamed ? `rename from ${shown}\nrename to ${shownPath(target)}\n` : '';
  const diff = `${rename}${result === null ? '' : diffOf({ file: shown, before, after }, CONTEXT)}`;
  if (!dryRun) {
    if (result !== null) writeWhole(path, after);
    if (isMisnamed) renameSync(path, target);
  }
  return [
    { skill: id, file: shown, fixed: [...(isMisnamed ? ['file-name'] : []), ...(result?.fixed ?? [])], diff },
  ];
}

function show({ skills, strict, errors, found }: Report): void {
  for (const each of found) showOne(each);
  print(
    `${counted(skills, 'skill')}: ${strict} ${strict === 1 ? 'meets' : 'meet'} the Agent Skills specification, ${counted(errors, 'error')}, ${counted(found.length - errors, 'other diagnostic')}.`,
  );
}

function showOne({ skill, diagnostic }: Located): void {
  const { severity, id, message, fix: remedy, path, position } = diagnostic;
  const colour = { error: colours.red, warning: colours.yellow, info: colours.dim }[severity];
  const location = [skill, path].filter((part) => part !== null).join('/');
  print(
    `${location}${position === undefined ? '' : `:${position.line}:${position.column}`} ${colour(severity)} ${message} ${colours.dim(id)}`,
  );
  if (remedy !== undefined) print(`  ${colours.green('→')} ${remedy}`);
}
