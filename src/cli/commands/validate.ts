/**
 * `skillgate validate`: prints every diagnostic of every skill and how to fix it, for people, programs and code hosts, and
 * fixes what is mechanical. Opens no index on disk.
 */

import { readFileSync, realpathSync, renameSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { writeWhole } from '../../app/lockfile.ts';
import { modelsFolder } from '../../app/model.ts';
import { fetchFor, openSources } from '../../app/open-sources.ts';
import { type CommonOptions, processEnvironment } from '../../app/settings.ts';
import { checkSkill } from '../../authoring/check-skill.ts';
import { checkCollisions, type Described } from '../../authoring/collision-remarks.ts';
import { type Located, toGithub, toSarif } from '../../authoring/report.ts';
import { counted } from '../../mcp/text.ts';
import { openEmbedder } from '../../search/embedding/open.ts';
import { readDocument } from '../../search/passages/document.ts';
import { fixedText } from '../../skills/fix.ts';
import { readCatalog } from '../../sources/scan/catalog.ts';
import { isInside, realPathOf } from '../../sources/scan/real-path.ts';
import { projectFolders } from '../../sources/scan/roots.ts';
import type { SkillFolder, Source } from '../../sources/source.ts';
import { coloured, diffOf } from '../diff.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { colours, confirmed, print, printJson, say } from '../output.ts';
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
  const named = [...dirs, ...(options.skills ?? [])];
  const settings = await settingsWithRoots({ ...options, skills: named });
  const sources = await openSources(settings, processEnvironment());
  const format = options.json === true ? 'json' : options.format;
  try {
    await fetchFor('missing', sources, settings, { now: Date.now, log: say });
    const fixed = options.fix === true ? await fix(sources.all, named, options) : [];
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

/**
 * Only in folders that the caller named, or that are the project's: what hosts and plugins keep at home is not the author's,
 * and neither is what a link leads to. Asks on a terminal.
 */
async function fix(
  sources: readonly Source[],
  dirs: readonly string[],
  { dryRun = false, json = false, format }: ValidateOptions,
): Promise<Fixed[]> {
  const own = ownFolders(dirs);
  const { folders } = await readCatalog(sources);
  const fixes = folders.flatMap((folder) => fixOf(folder) ?? []);
  const mine = fixes.filter(({ folder }) => own.some((parent) => isInside(parent, realpathSync(folder))));
  const isText = !json && format === 'text';
  if (isText) for (const { diff } of mine) print(coloured(diff));
  const others = fixes.length - mine.length;
  if (others > 0)
    say(
      `Left alone: ${counted(others, 'skill')} that could be fixed in folders that are not this project's. Name a folder to fix its skills.`,
    );
  const where = new Set(mine.map(({ folder }) => dirname(folder)));
  const question = `Write ${counted(mine.length, 'file')} in ${counted(where.size, 'folder')}?`;
  const isWritten = !dryRun && mine.length > 0 && (await confirmed(question)) !== false;
  if (isWritten) for (const each of mine) each.write();
  if (isText) say(summaryOf(mine.length, dryRun, isWritten));
  return (isWritten || dryRun ? mine : []).map(({ fixed }) => fixed);
}

function summaryOf(count: number, dryRun: boolean, isWritten: boolean): string {
  const skills = counted(count, 'skill');
  if (count === 0) return 'Nothing to fix.';
  if (dryRun) return `${skills} would be fixed.`;
  return isWritten
    ? `${skills} fixed; the diff above, reversed, gives the files as they were.`
    : 'Nothing was written.';
}

/** Real paths of the named folders; without any, of the project's root, which home and the folders above it are not. */
function ownFolders(dirs: readonly string[]): string[] {
  const { cwd, home } = processEnvironment();
  const project = projectFolders({ cwd, home }).at(-1) ?? cwd;
  const folders = dirs.length > 0 ? dirs : isInside(project, home) ? [] : [project];
  return folders.flatMap((folder) => realPathOf(resolve(cwd, folder)) ?? []);
}

interface Fix {
  readonly folder: string;
  readonly diff: string;
  readonly fixed: Fixed;
  write(): void;
}

/** Null if there is nothing to fix. */
function fixOf({ id, folder, file, uri }: SkillFolder): Fix | null {
  const path = join(folder, file);
  const bytes = readFileSync(path);
  const name = decodeURIComponent(uri.split('/').at(-2) ?? '');
  const result = fixedText(bytes, { path: file, folder: name });
  const target = join(folder, 'SKILL.md');
  const isMisnamed = file !== 'SKILL.md';
  if (result === null && !isMisnamed) return null;
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const after = result?.text ?? before;
  const shown = shownPath(path);
  const rename = isMisnamed ? `rename from ${shown}\nrename to ${shownPath(target)}\n` : '';
  const diff = `${rename}${result === null ? '' : diffOf({ file: shown, before, after }, CONTEXT)}`;
  const remarks = [...(isMisnamed ? ['file-name'] : []), ...(result?.fixed ?? [])];
  return {
    folder,
    diff,
    fixed: { skill: id, file: shown, fixed: remarks, diff },
    write() {
      if (result !== null) writeWhole(path, after);
      if (isMisnamed) renameSync(path, target);
    },
  };
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
