/**
 * Which folders of skills each host reads, as its documentation says: for search, for `connect` and for `doctor`. Variables in
 * braces are the folders that a host's own environment variables move.
 */

import { join as joined } from 'node:path';

interface HostFolders {
  /** Below each folder of a project. */
  readonly project: readonly string[];
  /** Of the user. */
  readonly user: readonly string[];
}

const AGENTS = { project: ['.agents/skills'], user: ['{home}/.agents/skills'] } as const;
const CLAUDE = { project: ['.claude/skills'], user: ['{home}/.claude/skills'] } as const;

const both = (...all: readonly HostFolders[]): HostFolders => ({
  project: all.flatMap(({ project }) => project),
  user: all.flatMap(({ user }) => user),
});

const COPILOT: HostFolders = both({ project: ['.github/skills'], user: ['{copilot}/skills'] }, AGENTS);
/** code.visualstudio.com/docs/agent-customization/agent-skills; microsoft/vscode, promptFileLocations.ts: DEFAULT_SKILL_SOURCE_FOLDERS. */
const VSCODE = both(COPILOT, CLAUDE);

/** Those of Windsurf too, which it was before. */
const DEVIN = both(
  { project: ['.devin/skills', '.windsurf/skills'], user: ['{config}/devin/skills'] },
  AGENTS,
);
/**
 * By the host's id, each with its source. A host that is not here reads no folder: it lists what was
 * uploaded to it, or nothing. Folders of an administrator (`/etc/codex/skills`) are left out.
 */
export const HOST_FOLDERS: Readonly<Record<string, HostFolders>> = {
  // code.claude.com/docs/en/skills#where-skills-live
  'claude-code': { project: ['.claude/skills'], user: ['{claude}/skills'] },
  // openai/codex, codex-rs/core-skills/src/loader.rs; the page developers.openai.com/codex/skills leaves out its older folders
  codex: both(AGENTS, { project: ['.codex/skills'], user: ['{codex}/skills'] }),
  vscode: VSCODE,
  'vscode-insiders': VSCODE,
  // cursor.com/docs/skills.md: its own and `.agents`; "for compatibility" those of Claude Code and Codex
  cursor: both(
    { project: ['.cursor/skills', '.codex/skills'], user: ['{home}/.cursor/skills', '{home}/.codex/skills'] },
    CLAUDE,
    AGENTS,
  ),
  // geminicli.com/docs/cli/using-agent-skills
  'gemini-cli': both({ project: ['.gemini/skills'], user: ['{home}/.gemini/skills'] }, AGENTS),
  // opencode.ai/docs/skills, opencode.ai/v1/docs/skills
  opencode: both(
    {
      // `skill` is what its first versions read.
      project: ['.opencode/skills', '.opencode/skill'],
      user: [
        '{config}/opencode/skills',
        '{config}/opencode/skill',
        '{home}/.opencode/skills',
        '{home}/.opencode/skill',
      ],
    },
    CLAUDE,
    AGENTS,
  ),
  // block.github.io/goose/docs/guides/context-engineering/using-skills: before version 1.25 `agents` in the folder of
  // configuration, since then `.agents`
  goose: both(
    { project: ['.goose/skills'], user: ['{config}/goose/skills', '{config}/agents/skills'] },
    CLAUDE,
    AGENTS,
  ),
  // docs.github.com/en/copilot/concepts/agents/about-agent-skills; github/copilot-cli, changelog.md, 1.0.36: of Claude Code
  // only those of projects (another page of docs.github.com still names `~/.claude/skills`)
  'copilot-cli': both(COPILOT, { project: CLAUDE.project, user: [] }),
  // docs.windsurf.com/windsurf/cascade/skills#skill-scopes; it reads those of Claude Code only where its user allows that
  windsurf: both({ project: ['.windsurf/skills'], user: ['{home}/.codeium/windsurf/skills'] }, AGENTS),
  // zed.dev/docs/ai/skills
  zed: AGENTS,
  // Measured, these and the next five: one skill in each folder that some host reads.
  cline: both({ project: ['.cline/skills', '.clinerules/skills'], user: ['{home}/.cline/skills'] }, AGENTS),
  'qwen-code': both({ project: ['.qwen/skills'], user: ['{home}/.qwen/skills'] }, AGENTS),
  kilo: both(
    {
      project: ['.kilo/skills', '.kilocode/skills'],
      user: ['{home}/.kilo/skills', '{home}/.kilocode/skills', '{config}/kilo/skills'],
    },
    CLAUDE,
    AGENTS,
  ),
  // The project's only where it is trusted.
  pi: both({ project: ['.pi/skills'], user: ['{home}/.pi/agent/skills'] }, AGENTS),
  continue: both(
    { project: ['.continue/skills'], user: ['{home}/.continue/skills'] },
    { project: CLAUDE.project, user: [] },
  ),
  droid: both({ project: ['.factory/skills'], user: ['{home}/.factory/skills'] }, AGENTS),
  // docs.devin.ai/cli/extensibility/skills, antigravity.google/docs/skills, ampcode.com/manual#agent-skills, kiro.dev/docs/skills
  devin: DEVIN,
  'devin-cli': DEVIN,
  antigravity: { project: AGENTS.project, user: ['{home}/.gemini/config/skills'] },
  amp: both({ project: AGENTS.project, user: ['{config}/agents/skills', '{config}/amp/skills'] }, CLAUDE),
  kiro: { project: ['.kiro/skills'], user: ['{home}/.kiro/skills'] },
  // hermes-agent.nousresearch.com/docs/user-guide/features/skills, docs.openclaw.ai/tools/skills: their workspace is no project
  hermes: { project: [], user: ['{hermes}/skills'] },
  openclaw: both({ project: [], user: ['{home}/.openclaw/skills'] }, AGENTS),
};

type Env = Readonly<Record<string, string | undefined>>;

/** The folders that variables of hosts move, absolute, by the rules of the system whose `join` it is. */
export function movedFolders(home: string, env: Env = {}, join = joined) {
  return {
    home,
    config: env.XDG_CONFIG_HOME || join(home, '.config'),
    claude: env.CLAUDE_CONFIG_DIR || join(home, '.claude'),
    codex: env.CODEX_HOME || join(home, '.codex'),
    copilot: env.COPILOT_HOME || join(home, '.copilot'),
    hermes: env.HERMES_HOME || join(home, '.hermes'),
  };
}

/** The user's folders that a host reads, absolute. */
export function userFolders({ user }: HostFolders, home: string, env?: Env): string[] {
  const moved = movedFolders(home, env);
  return user.map((path) => joined(path.replace(/^\{(\w+)\}/, (_, name: keyof typeof moved) => moved[name])));
}

const ALL = both(...Object.values(HOST_FOLDERS));

/** Those of all hosts, each once. */
export const PROJECT_FOLDERS: readonly string[] = [...new Set(ALL.project)];
export const userFoldersOfAll = (home: string, env?: Env): string[] => [
  ...new Set(userFolders(ALL, home, env)),
];
