/** Checks that need all files of a skill: links, anchors, files, secrets, when to use it, tools of hosts. */

import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { distance } from 'fastest-levenshtein';
import { secretsIn } from '../base/redaction/find.ts';
import { readDocument } from '../search/passages/document.ts';
import { decodeText, positionAt } from '../skills/decode.ts';
import { diagnose } from '../skills/diagnostics.ts';
import { fileKind, isMarkdown } from '../skills/files.ts';
import type { Diagnostic, Skill, SkillFile } from '../skills/skill.ts';
import type { SkillFolder } from '../sources/source.ts';
import { anchorsOf, type Link, linksOf } from './links.ts';
import { switchesIn } from './rules.ts';
import { faultOf } from './words.ts';

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
  const diagnostics = [...read.diagnostics, ...checkTexts(folder, read.skill, texts), ...found];
  return { ...read, diagnostics: diagnostics.filter((diagnostic) => !isOff(diagnostic)), isOff };
}

function checkTexts(folder: SkillFolder, skill: Skill, texts: ReadonlyMap<string, string>): Diagnostic[] {
  const text = texts.get(folder.file) ?? '';
  const where = (key: string) =>
    positionAt(text, Math.max(0, text.search(new RegExp(`^${key}[ \\t]*:`, 'm'))));
  return [
    ...checkDescription(skill, folder.file, where('description')),
    ...checkTools(skill, folder.file, where('allowed-tools')),
    ...checkLinks(folder, texts),
    ...unmentioned(folder, texts),
  ];
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
  const fault = faultOf(description);
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

function checkLinks({ folder, files, file }: SkillFolder, texts: ReadonlyMap<string, string>): Diagnostic[] {
  const own = new Set(files.map(({ path }) => path));
  const folders = new Set([...own].flatMap((path) => foldersAbove(path)));
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsIn = (path: string) => {
    const known = anchors.get(path) ?? anchorsOf(texts.get(path) ?? '');
    anchors.set(path, known);
    return known;
  };
  return [...texts].flatMap(([path, text]) => {
    if ((path !== file && !isMarkdown(path)) || TEMPLATE.test(path)) return [];
    return linksOf(text).flatMap((link): Diagnostic[] => {
      const where = link.position;
      const from = posix.dirname(path);
      // Authors also write paths from the skill's folder.
      const places = link.path === '' ? [path] : [posix.join(from, link.path), posix.normalize(link.path)];
      if (places.every((place) => place.startsWith('..'))) {
        const fix = 'Copy the file into the skill, or name the other skill.';
        const message = `The link to ${link.target} leads out of the skill, where readers of the skill cannot follow it.`;
        return [diagnose('link-leaves', path, message, { ...where, fix })];
      }
      const found = places
        .map((place) => place.replace(/\/$/, ''))
        .find((place) => own.has(place) || folders.has(place));
      if (found === undefined) {
        // A skill within the skill has files of its own.
        if (places.some((place) => existsSync(join(folder, place)))) return [];
        if (link.isMention && !isOfSkill(link, path, folders)) return [];
        const near = [...own].find((other) =>
          places.some((place) => place.toLowerCase() === other.toLowerCase()),
        );
        const fix =
          near === undefined
            ? `Add the file, or remove the ${link.isMention ? 'sentence' : 'link'}.`
            : `Write ${posix.relative(from, near)}.`;
        return link.isMention
          ? [diagnose('mention-dead', path, `The skill has no file ${link.target}.`, { ...where, fix })]
          : [diagnose('link-dead', path, `The link to ${link.target} leads nowhere.`, { ...where, fix })];
      }
      const hasAnchors = texts.has(found) && (found === file || isMarkdown(found));
      if (link.anchor === '' || !hasAnchors || anchorsIn(found).has(link.anchor.toLowerCase())) return [];
      const fix = 'Name a heading of that file, in lower case and with hyphens.';
      return [diagnose('link-anchor', path, `No heading of ${found} is #${link.anchor}.`, { ...where, fix })];
    });
  });
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
/** A line about a file that somebody is to write, that may be there, or that another skill has. */
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
    const message = 'No text of the skill mentions this file, so no agent will open it.';
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
    const [nearest] = [...TOOLS]
      .map((tool) => ({ tool, edits: distance(tool.toLowerCase(), lower) }))
      .sort((a, b) => a.edits - b.edits || (a.tool < b.tool ? -1 : 1));
    const isNear = nearest !== undefined && nearest.edits <= Math.min(NEAR, Math.floor(name.length / 3));
    return [{ name, meant: isNear ? nearest.tool : null }];
  });
}
