/** Checks that need all files of a skill: links, anchors, files, secrets, when to use it, tools of hosts, hosts that refuse it. */

import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import type { Passage } from '../../index/passage.ts';
import type { Diagnostic, Skill, SkillFile, SkillFolder } from '../../src/app/extension-api.ts';
import { clip, closest, positionAt } from '../../src/base/text.ts';
import { shareElsewhere } from '../../src/search/cards.ts';
import { readDocument } from '../../src/search/passages/document.ts';
import { decodeText } from '../../src/skills/decode.ts';
import { diagnose } from '../../src/skills/diagnostics.ts';
import { fileKind, isMarkdown } from '../../src/skills/files.ts';
import { HOSTS } from '../connect/hosts.ts';
import { type Refusal, toListed } from '../connect/listing.ts';
import { secretsIn } from './find-secrets.ts';
import { findAnchors, findLinks, type Link } from './links.ts';
import { switchesIn } from './rules.ts';
import { findFault } from './words.ts';

/** Bytes of a file that are checked: longer ones are data. */
const MAX_BYTES = 1_048_576;

/** What a skill offers to the index, and what is wrong with it. */
interface Examined extends ReturnType<typeof readDocument> {
  /** Whether its author switched that remark off with a comment. `diagnostics` has no such remark. */
  isOff(diagnostic: Diagnostic): boolean;
}

/** Parses a skill and checks it. Reads its files and nothing else; never throws. */
export function examineSkill(folder: SkillFolder): Examined {
  const texts = new Map<string, string>();
  const found: Diagnostic[] = [];
  const off = new Set<string>();
  const onFile = ({ path, kind }: SkillFile, bytes: Uint8Array) => {
    if (bytes.length > MAX_BYTES || (kind === 'asset' && bytes.includes(0))) return;
    const { text } = decodeText(bytes, path);
    found.push(...checkSecrets(text, path));
    const switches = switchesIn(text, path);
    for (const rule of switches.off) off.add(`${path}\0${rule}`);
    found.push(...switches.unknown);
    if (kind !== 'asset') texts.set(path, text);
  };
  const read = readDocument(folder, onFile);
  if (read.skill === null) return { ...read, isOff: () => false };
  const isOff = ({ id, path }: Diagnostic) => off.has(`${path}\0${id}`);
  const diagnostics = [
    ...read.diagnostics,
    ...checkTexts(folder, read.skill, texts),
    ...checkRequests(read.document?.passages ?? [], read.skill),
    ...found,
  ];
  return { ...read, diagnostics: diagnostics.filter((diagnostic) => !isOff(diagnostic)), isOff };
}

function checkTexts(folder: SkillFolder, skill: Skill, texts: ReadonlyMap<string, string>): Diagnostic[] {
  const text = texts.get(folder.file) ?? '';
  const where = (key: string) =>
    positionAt(text, Math.max(0, text.search(new RegExp(`^${key}[ \\t]*:`, 'm'))));
  return [
    ...checkDescription(skill, folder.file, where('description')),
    ...checkTools(skill, folder.file, where('allowed-tools')),
    ...checkHosts(skill, folder.file, where),
    ...checkLinks(folder, texts),
    ...unmentioned(folder, texts),
  ];
}

/** Share of a request's words that the description has only where it says what the skill is not for. */
const EXCLUDED_FROM = 0.5;

/** Requests that the description sends elsewhere. */
function checkRequests(
  passages: readonly Pick<Passage, 'kind' | 'path' | 'text'>[],
  skill: Pick<Skill, 'name' | 'description'>,
): Diagnostic[] {
  return passages.flatMap(({ kind, path, text }) => {
    if (kind !== 'request') return [];
    const terms = Array.from(new Set(termsOf(text)), (term) => ({ term, weight: 1 }));
    if (shareElsewhere({ terms, mass: terms.length }, skill) < EXCLUDED_FROM) return [];
    const message = `The request "${clip(text, 80)}" is what the description says the skill is not for.`;
    const fix = 'Remove the request, or mark it with `should_trigger: false`; else change the description.';
    return [diagnose('request-excluded', path, message, { fix })];
  });
}

function checkSecrets(text: string, path: string): Diagnostic[] {
  return secretsIn(text).map(({ rule, at, length }) =>
    diagnose('secret-found', path, `This looks like a secret of ${length} characters (${rule}).`, {
      fix: 'Revoke it, since all who have the skill have it, and name a variable instead.',
      ...positionAt(text, at),
    }),
  );
}

function checkDescription(
  { description, frontmatter, body }: Skill,
  path: string,
  where: Diagnostic['position'],
): Diagnostic[] {
  // Without a description the parser has said so already.
  if (typeof frontmatter.description !== 'string' || description === '' || body.trim() === '') return [];
  const fault = findFault(description);
  if (fault === null) return [];
  return fault === 'vague'
    ? [
        diagnose(
          'description-vague',
          path,
          'The description names no subject, so it fits almost any request.',
          {
            fix: 'Name what the skill works on and what comes out, in words that a request would have.',
            ...where,
          },
        ),
      ]
    : [
        diagnose('when-missing', path, 'The description does not say when to use the skill.', {
          fix: 'Add a sentence that begins with "Use when" and names the situations.',
          ...where,
        }),
      ];
}

function checkTools({ allowedTools }: Skill, path: string, where: Diagnostic['position']): Diagnostic[] {
  return unknownTools(allowedTools).map(({ name, meant }) =>
    diagnose('tool-unlisted', path, `No known host has a tool "${name}".`, {
      fix: meant === null ? 'Check its name; names of MCP tools are mcp__SERVER__TOOL.' : `Write ${meant}.`,
      ...where,
    }),
  );
}

const KEYS: Readonly<Partial<Record<Refusal, string>>> = {
  'a description of more than 1,024 characters': 'description',
  'a list as `argument-hint`': 'argument-hint',
};

/** Hosts that do not load the skill, by what they refuse. */
function checkHosts(
  skill: Skill,
  path: string,
  where: (key: string) => Diagnostic['position'],
): Diagnostic[] {
  const listed = toListed(skill);
  const refusing = HOSTS.flatMap(({ name, listing }) => {
    const refusal = listing.refuses?.(listed) ?? null;
    return refusal === null ? [] : [{ name, refusal }];
  });
  return [...new Set(refusing.map(({ refusal }) => refusal))].map((refusal) => {
    const names = refusing.filter((host) => host.refusal === refusal).map(({ name }) => name);
    const hosts = new Intl.ListFormat('en').format(names);
    const message = `${hosts} ${names.length === 1 ? 'does' : 'do'} not load the skill: it has ${refusal}.`;
    const key = KEYS[refusal];
    return diagnose('host-refuses', path, message, key === undefined ? {} : where(key));
  });
}

const checkLinks = (skill: SkillFolder, texts: ReadonlyMap<string, string>): Diagnostic[] =>
  new LinkCheck(skill, texts).run();

/** The links and mentions of one skill's texts. */
class LinkCheck {
  readonly #skill: SkillFolder;
  readonly #texts: ReadonlyMap<string, string>;
  /** Path as it is compared → as it is. Editors and file systems spell `ä` in one character or in two: paths are composed. */
  readonly #paths: ReadonlyMap<string, string>;
  readonly #folders: ReadonlySet<string>;
  readonly #anchors = new Map<string, ReadonlySet<string>>();
  /** Reported at its first mention. */
  readonly #missing = new Set<string>();

  constructor(skill: SkillFolder, texts: ReadonlyMap<string, string>) {
    this.#skill = skill;
    this.#texts = texts;
    this.#paths = new Map(skill.files.map(({ path }) => [path.normalize('NFC'), path]));
    this.#folders = new Set([...this.#paths.keys()].flatMap((path) => foldersAbove(path)));
  }

  run(): Diagnostic[] {
    return [...this.#texts].flatMap(([path, text]) => {
      if ((path !== this.#skill.file && !isMarkdown(path)) || TEMPLATE.test(path)) return [];
      return findLinks(text).flatMap((link) => this.#check(link, path) ?? []);
    });
  }

  #check(link: Link, path: string): Diagnostic | null {
    const from = posix.dirname(path);
    // Authors also write paths from the skill's folder.
    const places = link.path === '' ? [path] : [posix.join(from, link.path), posix.normalize(link.path)];
    if (places.every((place) => place.startsWith('..'))) {
      const fix = 'Copy the file into the skill, or name the other skill.';
      const message = `The link to ${link.target} leads out of the skill, where readers of the skill cannot follow it.`;
      return diagnose('link-leaves', path, message, { ...link.position, fix });
    }
    const target = places
      .map((place) => place.replace(/\/$/, '').normalize('NFC'))
      .find((place) => this.#paths.has(place) || this.#folders.has(place));
    return target === undefined
      ? this.#checkMissing(link, path, places)
      : this.#checkAnchor(link, path, this.#paths.get(target) ?? target);
  }

  #checkMissing(link: Link, path: string, places: readonly string[]): Diagnostic | null {
    // A skill within the skill has files of its own.
    if (places.some((place) => existsSync(join(this.#skill.folder, place)))) return null;
    if (link.isMention && !isOfSkill(link, path, this.#folders)) return null;
    if (places.some((place) => this.#missing.has(place))) return null;
    for (const place of places) this.#missing.add(place);
    const near = [...this.#paths.values()].find((other) =>
      places.some((place) => place.toLowerCase() === other.toLowerCase()),
    );
    const fix =
      near === undefined
        ? `Add the file, or remove the ${link.isMention ? 'sentence' : 'link'}.`
        : `Write ${posix.relative(posix.dirname(path), near)}.`;
    const where = { ...link.position, fix };
    return link.isMention
      ? diagnose('mention-dead', path, `The skill has no file ${link.target}.`, where)
      : diagnose('link-dead', path, `The link to ${link.target} leads nowhere.`, where);
  }

  #checkAnchor({ anchor, position }: Link, path: string, target: string): Diagnostic | null {
    const hasAnchors = this.#texts.has(target) && (target === this.#skill.file || isMarkdown(target));
    if (anchor === '' || !hasAnchors) return null;
    if (this.#anchorsIn(target).has(anchor.normalize('NFC').toLowerCase())) return null;
    const fix = 'Name a heading of that file, in lower case and with hyphens.';
    return diagnose('link-anchor', path, `No heading of ${target} is #${anchor}.`, { ...position, fix });
  }

  #anchorsIn(path: string): ReadonlySet<string> {
    const anchors = this.#anchors.get(path) ?? findAnchors(this.#texts.get(path) ?? '');
    this.#anchors.set(path, anchors);
    return anchors;
  }
}

/** Whether a named file is one that the skill should have, rather than one of its user's or one to write. */
function isOfSkill({ path, line }: Link, from: string, folders: ReadonlySet<string>): boolean {
  if (FOR_PEOPLE.test(from) || SUPPOSED.test(line)) return false;
  const [top = ''] = posix.normalize(path).split('/');
  if (BUNDLED.has(top)) return true;
  return folders.has(top) && (top === 'scripts' ? fileKind(path) === 'script' : isMarkdown(path));
}

/** Files that a reader fills in: their links are for then. */
const TEMPLATE = /template/i;
/** Folders that only skills have. */
const BUNDLED = new Set(['references', 'reference', 'assets']);
/** A line about a file that someone is to write, that may be there, or that another skill has. */
const SUPPOSED =
  /\b(?:e\.g|i\.e|examples?|such as|like|creat\w*|add(?:s|ed|ing)?|writ\w*|sav(?:e|es|ed|ing)|generat\w*|output\w*|produc\w*|exists?|optional\w*|could|would|may|might|your|new|instead of|renam\w*|mov(?:e|ed)|templates?|its own|their own)\b|['’]s [`*]/i;

/** `a/b/c.md` → `a/b`, `a`, `.`. */
function foldersAbove(path: string): string[] {
  const above = posix.dirname(path);
  return above === '.' ? ['.'] : [above, ...foldersAbove(above)];
}

/** References and scripts that no text of the skill mentions, by path, by name or by folder. */
function unmentioned({ files, file }: SkillFolder, texts: ReadonlyMap<string, string>): Diagnostic[] {
  const said = [...texts.values()].join('\n');
  return files.flatMap(({ path, kind }) => {
    if (path === file || (kind !== 'reference' && kind !== 'script') || FOR_PEOPLE.test(path)) return [];
    const name = posix.basename(path);
    const stem = name.replace(/\.[^.]+$/, '');
    const names = [name, ...(stem.length >= MENTIONED ? [stem] : [])];
    const folder = posix.dirname(path);
    if (names.some((each) => said.includes(each)) || (folder !== '.' && said.includes(`${folder}/`)))
      return [];
    const message = 'No text of the skill mentions this file, so an agent may not find it.';
    const fix = `Link it from ${file}, with a word on what is inside, or remove it.`;
    return [diagnose('file-unmentioned', path, message, { fix })];
  });
}

/** Files for those who look at the repository. */
const FOR_PEOPLE = /(?:^|\/)(?:readme|changelog|contributing|security|authors|metadata)\b[^/]*$/i;
/** Least characters of a name that counts as mentioned without its extension. */
const MENTIONED = 6;

/** By the names that their hosts document: Claude Code, Codex, Gemini CLI, Copilot, Cursor, OpenCode. */
const TOOLS = new Set(
  `Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree
  Glob Grep KillBash KillShell LS LSP ListMcpResources ListMcpResourcesTool Monitor MultiEdit NotebookEdit NotebookRead PowerShell
  Read ReadMcpResource ReadMcpResourceTool SendMessage Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput TaskStop
  TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite ToolSearch WebFetch WebSearch Write
  apply_patch shell update_plan view_image web_search
  ask_user codebase_investigator glob google_web_search list_directory read_file read_many_files replace run_shell_command
  save_memory search_file_content web_fetch write_file write_todos
  codebase edit edit_file execute fetch list_dir read run_in_terminal search terminal todo usages view web
  codebase_search delete_file file_search grep_search run_terminal_cmd
  bash grep list lsp patch question skill task todoread todowrite webfetch websearch write`.split(/\s+/),
);
/** Names of MCP servers and their tools, and patterns. */
const OF_SERVERS = /^mcp\b|[*:/.]|__/;
/** Edits that count as a slip. */
const NEAR = 2;

interface UnknownTool {
  readonly name: string;
  /** The tool that was probably meant. */
  readonly meant: string | null;
}

/** Names of `allowed-tools` that no host is known to offer; patterns in parentheses are left out. */
function unknownTools(names: readonly string[]): UnknownTool[] {
  return names.flatMap((written) => {
    const name = written.replace(/\(.*$/s, '');
    if (TOOLS.has(name) || OF_SERVERS.test(name) || name === '') return [];
    const lower = name.toLowerCase();
    const within = Math.min(NEAR, Math.floor(name.length / 3));
    const [meant = null] = closest(lower, [...TOOLS].sort(), (tool) => tool.toLowerCase(), { within });
    return [{ name, meant }];
  });
}
