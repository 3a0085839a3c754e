/**
 * `skillgate validate`: prints every diagnostic of every skill and how to fix it, for people, programs and code hosts, and
 * fixes what is mechanical. Opens no index on disk.
 */

import { appendFileSync, existsSync, readdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type ProcessEnvironment, processEnvironment } from '../../../src/app/configured.ts';
import type {
  CommonOptions,
  Diagnostic,
  Settings,
  Severity,
  SkillFolder,
  Source,
} from '../../../src/app/extension-api.ts';
import { writeWhole } from '../../../src/app/lockfile.ts';
import { modelsFolder } from '../../../src/app/model.ts';
import { fetchFor, openSources } from '../../../src/app/open-sources.ts';
import { readInside } from '../../../src/base/files/read.ts';
import { counted } from '../../../src/base/text.ts';
import { settingsWithRoots } from '../../../src/cli/commands/with-gateway.ts';
import { coloured, formatGitDiff } from '../../../src/cli/diff.ts';
import { CliError, EXIT } from '../../../src/cli/exit-codes.ts';
import { confirmed, print, printCommand, printJson, printText, say } from '../../../src/cli/output.ts';
import { openEmbedder } from '../../../src/search/embedding/open.ts';
import { diagnose, isRule } from '../../../src/skills/diagnostics.ts';
import { readCatalog } from '../../../src/sources/scan/catalog.ts';
import { findRealPath, isInside } from '../../../src/sources/scan/real-path.ts';
import { projectFolders } from '../../../src/sources/scan/roots.ts';
import { checkKept, type ReadSkill } from '../../requests/check-kept.ts';
import { examineSkill } from '../check-skill.ts';
import { checkCollisions, type Described } from '../collisions.ts';
import { fixedText } from '../fix.ts';
import { type Located, toGithub, toMarkdown, toSarif, WORST_FIRST } from '../report.ts';
import { asSet, type RuleSettings } from '../rules.ts';
import { showRemarks } from './remarks.ts';

export interface ValidateOptions extends CommonOptions {
  readonly strict?: boolean;
  readonly format: 'text' | 'json' | 'sarif' | 'github';
  /** Severities and rules. */
  readonly failOn?: readonly string[];
  readonly maxWarnings?: number;
  readonly all?: boolean;
  readonly fix?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const HOMEPAGE = 'https://github.com/skillgate/skillgate';
/** Skills whose descriptions are compared: their texts are embedded, 5,000 in half a minute. */
const MAX_COMPARED = 5_000;
/** Lines around a change that a diff shows. */
const CONTEXT = 3;
/** Bytes of a skill file that is fixed: 26 times the longest of a public catalog of 24,849. */
const MAX_FIXED = 4_194_304;
const SKILL_FILE = /^skill\.md$/i;

export async function validate(
  paths: readonly string[],
  options: ValidateOptions,
  version: string,
): Promise<void> {
  checkOptions(options);
  const environment = processEnvironment();
  const folders = new Set(paths.map((path) => findSkillFolder(path, environment.cwd)));
  const named = [...folders, ...(options.skills ?? [])];
  const { projectRules = !isAutomatic(options, environment) } = options;
  const settings = await settingsWithRoots({ ...options, projectRules, skills: named });
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
      for (const line of toGithub(found)) printCommand(line);
      const { GITHUB_STEP_SUMMARY: summary } = environment.env;
      if (summary !== undefined && summary !== '')
        appendFileSync(summary, toMarkdown(formatResult(report), found, HOMEPAGE));
    } else {
      showRemarks(found, options.all === true);
      print(formatResult(report));
      const { length: left } = report.fixable;
      if (left > 0 && options.fix !== true)
        print(`skillgate validate --fix would fix ${counted(left, 'file')}.`);
    }
    if (isFailure(report, options) || skills === 0) process.exitCode ??= EXIT.invalid;
  } finally {
    await sources.close();
  }
}

/** No one looks at what the project's file switches off: it would turn the check of its own change green. */
const isAutomatic = ({ format }: ValidateOptions, { env }: ProcessEnvironment) =>
  format === 'github' || format === 'sarif' || !/^(|0|false)$/i.test(env.CI ?? '');

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
function findSkillFolder(path: string, cwd: string): string {
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
  // Without a remark, nothing says why there is no skill.
  if (found.length === 0) requireSkills(folders, settings);
  let strict = 0;
  const described: (Described & { readonly isOff: (diagnostic: Diagnostic) => boolean })[] = [];
  const fixable: string[] = [];
  const read: ReadSkill[] = [];
  // Texts are kept only where they are used: those of 100,000 skills take 4 GB.
  const isCompared = folders.length <= MAX_COMPARED;
  const hasKept = sources.some(({ requests }) => requests !== undefined && existsSync(requests));
  const locate = (folder: SkillFolder, diagnostic: Diagnostic) =>
    asLocated(diagnostic, shownPath(join(folder.folder, diagnostic.path)), folder.id, rules);
  for (const folder of folders) {
    // Kept requests are not in the skill's files; `checkKept` checks them.
    const { document, skill, diagnostics, isOff } = examineSkill({ ...folder, requests: [] });
    if (hasKept) read.push({ folder, skill, requests: document === null ? [] : requestsIn(document) });
    if (skill?.strict) strict += 1;
    if (isCompared && document !== null) described.push({ document, path: folder.file, isOff });
    if (diagnostics.length > 0 && isOwn(own, folder) && computeFix(folder) !== null) fixable.push(folder.id);
    // A copy: what a message quotes of a text would keep the whole text alive in V8.
    found.push(...diagnostics.flatMap((each) => locate(folder, structuredClone(each))));
  }
  for (const { path, line, reason } of checkKept(sources, read))
    found.push(
      ...asLocated(diagnose('requests-refused', path, reason, { fix: REWRITE, line }), path, null, rules),
    );
  if (!isCompared)
    say(
      `${folders.length} skills are too many to compare their descriptions here; skillgate stats --collisions does it with an index.`,
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

const REWRITE = 'Have your agent write them anew, or remove them with `skillgate requests remove`.';

const requestsIn = ({ passages }: Described['document']) =>
  passages.flatMap(({ kind, text }) => (kind === 'request' ? text : []));

function asLocated(given: Diagnostic, file: string, skill: string | null, rules: RuleSettings): Located[] {
  const diagnostic = asSet(given, rules);
  return diagnostic === null ? [] : [{ file, skill, diagnostic }];
}

/** A folder that someone named and that holds no skill is a mistake, which else looks like success. */
function requireSkills(folders: readonly SkillFolder[], { sources }: Settings): void {
  const empty = sources.flatMap(({ name, config, optional }) => {
    if (optional || config.kind !== 'local' || !existsSync(config.root)) return [];
    const root = realpathSync(config.root);
    // A link leads a skill out of its root; of two roots, one in the other, one has all skills.
    const isBelow = ({ folder, source }: SkillFolder) =>
      source === name || !relative(root, realpathSync(folder)).startsWith('..');
    return folders.some(isBelow) ? [] : [config.root];
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

function formatResult({ skills, strict, errors, found }: Report): string {
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
 * and neither is what a link leads to. Asks, unless --yes is given.
 */
async function fix(
  sources: readonly Source[],
  dirs: readonly string[],
  { dryRun = false, json = false, yes = false, format }: ValidateOptions,
): Promise<Fixed[]> {
  const own = ownFolders(dirs);
  const { folders } = await readCatalog(sources);
  const fixes = folders.flatMap((folder) => computeFix(folder) ?? []);
  const mine = fixes.filter((each) => isOwn(own, each));
  const isText = !json && format === 'text';
  if (isText) for (const { diff } of mine) printText(coloured(diff));
  const others = fixes.length - mine.length;
  if (others > 0)
    say(
      `${counted(others, 'skill')} in folders outside this project could be fixed too: name a folder to fix its skills.`,
    );
  const where = new Set(mine.map(({ folder }) => dirname(folder)));
  const question = `Write ${counted(mine.length, 'file')} in ${counted(where.size, 'folder')}?`;
  const answer = yes || dryRun || mine.length === 0 ? yes : await confirmed(question);
  const isWritten = !dryRun && mine.length > 0 && answer === true;
  if (answer === null) process.exitCode = EXIT.unconfirmed;
  if (isWritten) for (const each of mine) each.write();
  if (answer === null)
    say('Nothing was written: there is no terminal to ask on. Pass --yes to write the above.');
  else if (isText) say(formatFixes(mine.length, dryRun, isWritten));
  return (isWritten || dryRun ? mine : []).map(({ fixed }) => fixed);
}

function formatFixes(count: number, dryRun: boolean, isWritten: boolean): string {
  const skills = counted(count, 'skill');
  if (count === 0) return 'Nothing to fix.';
  if (dryRun) return `${skills} would be fixed.`;
  return isWritten ? `${skills} fixed; git apply -R with the diff above undoes it.` : 'Nothing was written.';
}

/** Real paths of the named folders; without any, of the project's root, which home and the folders above it are not. */
function ownFolders(dirs: readonly string[]): string[] {
  const { cwd, home } = processEnvironment();
  const project = projectFolders({ cwd, home }).at(-1) ?? cwd;
  const folders = dirs.length > 0 ? dirs : isInside(project, home) ? [] : [project];
  return folders.flatMap((folder) => findRealPath(resolve(cwd, folder)) ?? []);
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
function computeFix({ id, folder, file, files, uri }: SkillFolder): Fix | null {
  const path = join(folder, file);
  let bytes: Uint8Array;
  try {
    const isOwn = (found: string) => files.some((own) => own.path === found);
    bytes = readInside(folder, path, { maxBytes: MAX_FIXED, isOwn });
  } catch {
    // It has a remark that says why.
    return null;
  }
  const name = decodeURIComponent(uri.split('/').at(-2) ?? '');
  const result = fixedText(bytes, { path: file, folder: name });
  const target = join(folder, 'SKILL.md');
  const isMisnamed = file !== 'SKILL.md';
  if (result === null && !isMisnamed) return null;
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const after = result?.text ?? before;
  const shown = shownPath(path);
  const diff = formatGitDiff({ from: shown, to: shownPath(target), before, after }, CONTEXT);
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
