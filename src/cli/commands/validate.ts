/**
 * `skillgate validate`: prints every diagnostic of every skill and how to fix it, for people, programs and code hosts, and
 * fixes what is mechanical. Opens no index on disk.
 */

import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type CommonOptions, processEnvironment } from '../../app/configured.ts';
import { writeWhole } from '../../app/lockfile.ts';
import { modelsFolder } from '../../app/model.ts';
import { fetchFor, openSources } from '../../app/open-sources.ts';
import type { Settings } from '../../app/settings.ts';
import { examineSkill } from '../../authoring/check-skill.ts';
import { checkCollisions, type Described } from '../../authoring/collisions.ts';
import { type Located, toGithub, toMarkdown, toSarif, WORST_FIRST } from '../../authoring/report.ts';
import { asSet, type RuleSettings } from '../../authoring/rules.ts';
import { counted } from '../../mcp/text.ts';
import { openEmbedder } from '../../search/embedding/open.ts';
import { isRule } from '../../skills/diagnostics.ts';
import { fixedText } from '../../skills/fix.ts';
import type { Diagnostic, Severity } from '../../skills/skill.ts';
import { readCatalog } from '../../sources/scan/catalog.ts';
import { isInside, realPathOf } from '../../sources/scan/real-path.ts';
import { projectFolders } from '../../sources/scan/roots.ts';
import type { SkillFolder, Source } from '../../sources/source.ts';
import { coloured, gitDiffOf } from '../diff.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { confirmed, print, printJson, say } from '../output.ts';
import { showRemarks } from './remarks.ts';
import { settingsWithRoots } from './with-gateway.ts';

export interface ValidateOptions extends CommonOptions {
  readonly strict?: boolean;
  readonly format: 'text' | 'json' | 'sarif' | 'github';
  /** Severities and rules. */
  readonly failOn?: readonly string[];
  readonly maxWarnings?: number;
  readonly all?: boolean;
  readonly fix?: boolean;
  readonly dryRun?: boolean;
}

const HOMEPAGE = 'https://github.com/skillgate/skillgate';
/** Skills whose descriptions are compared: their texts are embedded, 5,000 in half a minute. */
const MAX_COMPARED = 5_000;
/** Lines around a change that a diff shows. */
const CONTEXT = 3;
const SKILL_FILE = /^skill\.md$/i;

export async function validate(
  paths: readonly string[],
  options: ValidateOptions,
  version: string,
): Promise<void> {
  checkOptions(options);
  const environment = processEnvironment();
  const folders = new Set(paths.map((path) => skillFolderOf(path, environment.cwd)));
  const named = [...folders, ...(options.skills ?? [])];
  const settings = await settingsWithRoots({ ...options, skills: named });
  const sources = await openSources(settings, environment);
  const format = options.json === true ? 'json' : options.format;
  try {
    await fetchFor('missing', sources, settings, { now: Date.now, log: say });
    const fixed = options.fix === true ? await fix(sources.all, named, options) : [];
    const report = await examine(sources.all, settings, ownFolders(named));
    const { skills, strict, errors, found } = report;
    if (format === 'json')
      printJson({
        skills,
        strict,
        errors,
        diagnostics: found.map(({ skill, file, diagnostic }) => ({ skill, file, diagnostic })),
        ...(options.fix === true ? { fixed } : {}),
      });
    else if (format === 'sarif') printJson(toSarif(found, { version, url: HOMEPAGE }));
    else if (format === 'github') {
      for (const line of toGithub(found)) print(line);
      const { GITHUB_STEP_SUMMARY: summary } = environment.env;
      if (summary !== undefined && summary !== '')
        appendFileSync(summary, toMarkdown(sentenceOf(report), found, HOMEPAGE));
    } else {
      showRemarks(found, options.all === true);
      print(sentenceOf(report));
      const { length: left } = report.fixable;
      if (left > 0 && options.fix !== true)
        print(`skillgate validate --fix would fix ${counted(left, 'file')}.`);
    }
    if (isFailure(report, options)) process.exitCode = EXIT.invalid;
  } finally {
    await sources.close();
  }
}

function checkOptions({ dryRun, fix, failOn = [], maxWarnings = 0 }: ValidateOptions): void {
  if (dryRun === true && fix !== true)
    throw new CliError('USAGE', '--dry-run shows what --fix would write: it needs --fix.');
  if (maxWarnings < 0) throw new CliError('USAGE', '--max-warnings takes a number from 0.');
  for (const what of failOn)
    if (!isSeverity(what) && !isRule(what))
      throw new CliError(
        'USAGE',
        `--fail-on ${what}: there is no such rule. Give error, warning, info, or an id of docs/diagnostics.md.`,
      );
}

const isSeverity = (text: string): text is Severity => WORST_FIRST.some((severity) => severity === text);

/** The folder of the skill that a file belongs to; a folder, and what is missing, as it is. */
function skillFolderOf(path: string, cwd: string): string {
  const full = resolve(cwd, path);
  if (!existsSync(full) || statSync(full).isDirectory()) return path;
  for (let folder = dirname(full); ; folder = dirname(folder)) {
    if (readdirSync(folder).some((name) => SKILL_FILE.test(name))) return folder;
    if (folder === dirname(folder))
      throw new CliError('USAGE', `${path} belongs to no skill: no folder above it has a SKILL.md.`);
  }
}

interface Report {
  readonly skills: number;
  /** How many the specification's validator accepts. */
  readonly strict: number;
  readonly errors: number;
  readonly found: readonly Located[];
  /** Ids of skills that --fix would change. */
  readonly fixable: readonly string[];
}

async function examine(
  sources: readonly Source[],
  settings: Settings,
  own: readonly string[],
): Promise<Report> {
  const { rules } = settings.config.validate;
  const { folders, diagnostics: ofCatalog } = await readCatalog(sources);
  const found: Located[] = ofCatalog.flatMap((each) => asLocated(each, each.path, null, rules));
  if (!found.some(({ diagnostic: { severity } }) => severity === 'error')) requireSkills(folders, settings);
  let strict = 0;
  const described: (Described & { readonly isOff: (diagnostic: Diagnostic) => boolean })[] = [];
  const fixable: string[] = [];
  const locate = (folder: SkillFolder, diagnostic: Diagnostic) =>
    asLocated(diagnostic, shownPath(join(folder.folder, diagnostic.path)), folder.id, rules);
  for (const folder of folders) {
    const { document, skill, diagnostics, isOff } = examineSkill(folder);
    if (skill?.strict) strict += 1;
    if (document !== null) described.push({ document, path: folder.file, isOff });
    if (diagnostics.length > 0 && isOwn(own, folder) && fixOf(folder) !== null) fixable.push(folder.id);
    found.push(...diagnostics.flatMap((each) => locate(folder, each)));
  }
  if (described.length > MAX_COMPARED)
    say(
      `${described.length} skills are too many to compare their descriptions here; skillgate stats --collisions does it with an index.`,
    );
  else if (rules['description-collides'] !== 'off') {
    const remarks = await checkCollisions(
      described,
      await openEmbedder(undefined, { modelsFolder: modelsFolder() }),
    );
    const off = new Map(described.map(({ document, isOff }) => [document.key, isOff]));
    for (const folder of folders) {
      const diagnostic = remarks.get(folder.id);
      if (diagnostic !== undefined && off.get(folder.id)?.(diagnostic) !== true)
        found.push(...locate(folder, diagnostic));
    }
  }
  const errors = found.filter(({ diagnostic }) => diagnostic.severity === 'error').length;
  return { skills: folders.length, strict, errors, found, fixable };
}

function asLocated(given: Diagnostic, file: string, skill: string | null, rules: RuleSettings): Located[] {
  const diagnostic = asSet(given, rules);
  return diagnostic === null ? [] : [{ file, skill, diagnostic }];
}

/** A folder that somebody named and that holds no skill is a mistake, which else looks like success. */
function requireSkills(folders: readonly SkillFolder[], { sources }: Settings): void {
  const empty = sources.flatMap(({ config, optional }) => {
    if (optional || config.kind !== 'local' || !existsSync(config.root)) return [];
    const root = realpathSync(config.root);
    return folders.some(({ folder }) => !relative(root, realpathSync(folder)).startsWith('..'))
      ? []
      : [config.root];
  });
  if (empty.length > 0 || folders.length === 0)
    throw new CliError(
      'USAGE',
      `There is no skill ${empty.length > 0 ? `below ${empty.join(', ')}` : 'here'}: a skill is a folder with a file SKILL.md.`,
    );
}

function isFailure({ skills, strict, errors, found }: Report, options: ValidateOptions): boolean {
  const { failOn = [], maxWarnings = Number.POSITIVE_INFINITY } = options;
  const limits = failOn.flatMap((what) => (isSeverity(what) ? WORST_FIRST.indexOf(what) : []));
  const warnings = found.filter(({ diagnostic }) => diagnostic.severity === 'warning').length;
  const isNamed = ({ diagnostic: { id, severity } }: Located) =>
    failOn.includes(id) || WORST_FIRST.indexOf(severity) <= Math.max(-1, ...limits);
  return (
    errors > 0 ||
    (options.strict === true && strict < skills) ||
    warnings > maxWarnings ||
    found.some(isNamed)
  );
}

function sentenceOf({ skills, strict, errors, found }: Report): string {
  const count = (severity: string) =>
    found.filter(({ diagnostic }) => diagnostic.severity === severity).length;
  const remarks = [
    counted(errors, 'error'),
    counted(count('warning'), 'warning'),
    `${counted(count('info'), 'piece')} of advice`,
  ];
  return `${counted(skills, 'skill')}: ${strict} ${strict === 1 ? 'meets' : 'meet'} the Agent Skills specification, ${remarks.join(', ')}.`;
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
  const mine = fixes.filter((each) => isOwn(own, each));
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

const isOwn = (own: readonly string[], { folder }: { readonly folder: string }) =>
  own.some((parent) => isInside(parent, realpathSync(folder)));

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
  const diff = gitDiffOf({ from: shown, to: shownPath(target), before, after }, CONTEXT);
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
