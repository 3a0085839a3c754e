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

const COPILOT: HostFolders = both(
  { project: ['.github/skills'], user: ['{copilot}/skills'] },
  CLAUDE,
  AGENTS,
);

/** By the host's id in `src/hosts/hosts.ts`. A host that is not here reads no folder: it lists what was uploaded to it, or nothing. */
export const HOST_FOLDERS: Readonly<Record<string, HostFolders>> = {
  'claude-code': { project: ['.claude/skills'], user: ['{claude}/skills'] },
  codex: both(AGENTS, { project: ['.codex/skills'], user: ['{codex}/skills'] }),
  vscode: COPILOT,
  'vscode-insiders': COPILOT,
  cursor: both(
    { project: ['.cursor/skills', '.codex/skills'], user: ['{home}/.cursor/skills', '{home}/.codex/skills'] },
    CLAUDE,
    AGENTS,
  ),
  'gemini-cli': both({ project: ['.gemini/skills'], user: ['{home}/.gemini/skills'] }, AGENTS),
  opencode: both(
    { project: ['.opencode/skills'], user: ['{config}/opencode/skills', '{home}/.opencode/skills'] },
    CLAUDE,
    AGENTS,
  ),
  goose: both(
    { project: ['.goose/skills'], user: ['{config}/goose/skills', '{home}/.goose/skills'] },
    CLAUDE,
    AGENTS,
  ),
  'copilot-cli': COPILOT,
  windsurf: both({ project: ['.windsurf/skills'], user: ['{home}/.codeium/windsurf/skills'] }, AGENTS),
  cline: both({ project: ['.cline/skills'], user: ['{home}/.cline/skills'] }, CLAUDE),
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
