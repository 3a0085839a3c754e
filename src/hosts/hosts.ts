/**
 * The hosts that `connect` writes to: one entry each, declared as data. How files are found is in `locations.ts`, how they are
 * edited in `edit.ts`. docs/hosts.md names the page that documents each entry; a test keeps the two lists equal.
 */

import { existsSync } from 'node:fs';
import type { Launch } from './launch.ts';
import { type Location, pathAt, type Scope, type System } from './locations.ts';

export type Format = 'json' | 'toml' | 'yaml';

/** A setting that `connect` adds to a file and takes out again. */
export interface Setting {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Adds the value to a list instead of replacing what is there. */
  readonly append?: true;
  /** For lists: the item that the value replaces. Default: an equal one. */
  readonly replaces?: (item: unknown) => boolean;
  /** Writes only where the parent of the setting is already in the file: the host writes the rest of it itself. */
  readonly onlyWhereParentExists?: true;
}

/** What a host does with the names and descriptions of skills in every prompt. */
export interface Listing {
  /** Characters of the whole list at a context window of that many tokens; null where no limit is documented. */
  readonly budget: ((windowTokens: number) => number) | null;
  /** Most characters of one description. */
  readonly mostDescription: number;
  /** Characters around one skill's name and description. */
  readonly frame: number;
  /** The same once the whole list is over the budget, for hosts that then write it shorter. Default: `frame`. */
  readonly shortFrame?: (name: string) => number;
  /**
   * What gives way when the list is full: `descriptions` of the skills used least; the longest descriptions, `shortened` until
   * all fit, and then skills in order of name; or whole skills `omitted` in order of name.
   */
  readonly overflow: 'descriptions' | 'shortened' | 'omitted';
  /** The source of these figures. */
  readonly source: string;
}

export interface Host {
  /** As given on the command line. */
  readonly id: string;
  readonly name: string;
  readonly format: Format;
  /** Candidates by scope: the first that exists, else the first. */
  readonly files: Readonly<Partial<Record<Scope, readonly Location[]>>>;
  /** Any of these paths says that the host is installed. */
  readonly signs: readonly Location[];
  /** The object in the file that holds the servers, by name. */
  readonly servers: readonly string[];
  /** Another object for files that already have it. */
  readonly serversWhereFound?: readonly string[];
  readonly entry: (launch: Launch) => Readonly<Record<string, unknown>>;
  /** Hides the host's own list of skills. `files`: where that setting is not in the file of the servers. */
  readonly hide?: {
    readonly setting: Setting;
    readonly files?: Readonly<Partial<Record<Scope, readonly Location[]>>>;
  };
  /** Prompt hooks, for hosts whose hooks can add a line to a prompt: `hooks.EVENT` in a file of JSON lists commands of a shell. */
  readonly hook?: {
    readonly event: string;
    /** In the unit of the host. */
    readonly timeout: number;
    readonly files: Readonly<Partial<Record<Scope, readonly Location[]>>>;
    /** What else the user has to do. */
    readonly remark?: string;
  };
  readonly listing: Listing;
}

const plain = ({ command, args }: Launch) => ({ command, args });
const typed = ({ command, args }: Launch) => ({ type: 'stdio', command, args });

/** No limit is documented: every name and description is in the prompt, framed as agentskills.io suggests. */
const everything = (source: string): Listing => ({
  budget: null,
  mostDescription: 1_024,
  frame: 70,
  overflow: 'omitted',
  source,
});

function vscode(id: string, name: string, folder: string): Host {
  return {
    id,
    name,
    format: 'json',
    files: { user: [`{apps}/${folder}/User/mcp.json`], project: ['{project}/.vscode/mcp.json'] },
    signs: [`{apps}/${folder}/User`],
    servers: ['servers'],
    entry: typed,
    hide: {
      setting: { path: ['chat.useAgentSkills'], value: false },
      files: { user: [`{apps}/${folder}/User/settings.json`], project: ['{project}/.vscode/settings.json'] },
    },
    listing: everything('https://code.visualstudio.com/docs/agent-customization/agent-skills'),
  };
}

export const HOSTS: readonly Host[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    format: 'json',
    files: { user: ['{claudeState}/.claude.json'], project: ['{project}/.mcp.json'] },
    signs: ['{claudeState}/.claude.json', '{claude}'],
    servers: ['mcpServers'],
    // Claude Code defers the tools of MCP servers, and a tool that is not in the prompt is not called before each task.
    entry: (launch) => ({ ...typed(launch), alwaysLoad: true }),
    hide: {
      setting: { path: ['permissions', 'deny'], value: 'Skill', append: true },
      files: { user: ['{claude}/settings.json'], project: ['{project}/.claude/settings.json'] },
    },
    hook: {
      event: 'UserPromptSubmit',
      timeout: 5,
      files: { user: ['{claude}/settings.json'], project: ['{project}/.claude/settings.json'] },
    },
    listing: {
      // 1 % of the window, at 4 characters a token.
      budget: (tokens) => tokens * 4 * 0.01,
      mostDescription: 1_536,
      frame: 4,
      overflow: 'descriptions',
      source: 'https://code.claude.com/docs/en/skills#skill-descriptions-are-cut-short',
    },
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    format: 'json',
    files: { user: ['{apps}/Claude/claude_desktop_config.json'] },
    signs: ['{apps}/Claude'],
    servers: ['mcpServers'],
    entry: plain,
    listing: everything('https://support.claude.com/en/articles/12512180-using-skills-in-claude'),
  },
  {
    id: 'cursor',
    name: 'Cursor',
    format: 'json',
    files: { user: ['{home}/.cursor/mcp.json'], project: ['{project}/.cursor/mcp.json'] },
    signs: ['{home}/.cursor'],
    servers: ['mcpServers'],
    entry: plain,
    listing: everything('https://cursor.com/docs/context/skills'),
  },
  vscode('vscode', 'VS Code', 'Code'),
  vscode('vscode-insiders', 'VS Code Insiders', 'Code - Insiders'),
  {
    id: 'codex',
    name: 'Codex',
    format: 'toml',
    files: { user: ['{codex}/config.toml'], project: ['{project}/.codex/config.toml'] },
    signs: ['{codex}'],
    servers: ['mcp_servers'],
    entry: plain,
    hide: { setting: { path: ['skills', 'include_instructions'], value: false } },
    hook: {
      event: 'UserPromptSubmit',
      timeout: 5,
      files: { user: ['{codex}/hooks.json'], project: ['{project}/.codex/hooks.json'] },
      remark: 'Codex runs the hook once you trust it: type /hooks there.',
    },
    listing: {
      // 2 % of the window, at 4 bytes a token.
      budget: (tokens) => tokens * 4 * 0.02,
      mostDescription: 1_024,
      // `- NAME: DESCRIPTION (file: PATH)` and a line break: 14, and a path of 46.
      frame: 60,
      // The path is then `r0/NAME/SKILL.md`, with a table of what r0 is.
      shortFrame: (name) => 26 + name.length,
      overflow: 'shortened',
      source: 'https://developers.openai.com/codex/skills',
    },
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    format: 'json',
    files: { user: ['{home}/.gemini/settings.json'], project: ['{project}/.gemini/settings.json'] },
    signs: ['{home}/.gemini'],
    servers: ['mcpServers'],
    entry: plain,
    hide: { setting: { path: ['skills', 'enabled'], value: false } },
    hook: {
      event: 'BeforeAgent',
      timeout: 5_000,
      files: { user: ['{home}/.gemini/settings.json'], project: ['{project}/.gemini/settings.json'] },
    },
    listing: everything('https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/skills.md'),
  },
  {
    id: 'goose',
    name: 'Goose',
    format: 'yaml',
    files: {
      user: [
        {
          linux: '{config}/goose/config.yaml',
          darwin: '{config}/goose/config.yaml',
          win32: '{appdata}/Block/goose/config/config.yaml',
        },
      ],
    },
    signs: [{ linux: '{config}/goose', darwin: '{config}/goose', win32: '{appdata}/Block/goose' }],
    servers: ['extensions'],
    entry: ({ command, args }) => ({
      name: 'skillgate',
      description: 'Finds the skill for a task',
      type: 'stdio',
      enabled: true,
      cmd: command,
      args,
      timeout: 300,
    }),
    hide: {
      setting: { path: ['extensions', 'skills', 'enabled'], value: false, onlyWhereParentExists: true },
    },
    listing: everything('https://block.github.io/goose/docs/guides/context-engineering/using-skills'),
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    format: 'json',
    files: { user: ['{home}/.codeium/windsurf/mcp_config.json'] },
    signs: ['{home}/.codeium/windsurf'],
    servers: ['mcpServers'],
    entry: plain,
    listing: everything('https://docs.windsurf.com/windsurf/cascade/skills'),
  },
  {
    id: 'zed',
    name: 'Zed',
    format: 'json',
    files: {
      user: [
        {
          linux: '{config}/zed/settings.json',
          darwin: '{config}/zed/settings.json',
          win32: '{appdata}/Zed/settings.json',
        },
      ],
    },
    signs: [{ linux: '{config}/zed', darwin: '{config}/zed', win32: '{appdata}/Zed' }],
    servers: ['context_servers'],
    entry: plain,
    listing: everything('https://zed.dev/docs/ai/skills'),
  },
  {
    id: 'opencode',
    name: 'opencode',
    format: 'json',
    files: {
      user: ['{config}/opencode/opencode.json', '{config}/opencode/opencode.jsonc'],
      project: ['{project}/opencode.json', '{project}/opencode.jsonc'],
    },
    signs: ['{config}/opencode'],
    // Version 2 also reads the shape of version 1; files that use its own shape keep to it.
    servers: ['mcp'],
    serversWhereFound: ['mcp', 'servers'],
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args] }),
    hide: { setting: { path: ['permission', 'skill'], value: 'deny' } },
    listing: everything('https://opencode.ai/docs/skills'),
  },
  {
    id: 'cline',
    name: 'Cline',
    format: 'json',
    files: { user: ['{clineServers}'] },
    signs: ['{cline}'],
    servers: ['mcpServers'],
    entry: plain,
    listing: everything('https://docs.cline.bot/customization/skills'),
  },
  {
    id: 'copilot-cli',
    name: 'Copilot CLI',
    format: 'json',
    files: { user: ['{copilot}/mcp-config.json'], project: ['{project}/.github/mcp.json'] },
    signs: ['{copilot}'],
    servers: ['mcpServers'],
    entry: ({ command, args }) => ({ type: 'local', command, args, tools: ['*'] }),
    listing: {
      budget: () => 15_000,
      mostDescription: 1_024,
      // Tags, and where the skill is.
      frame: 110,
      overflow: 'omitted',
      source: 'https://github.com/github/copilot-cli/issues/2314',
    },
  },
];

export const hostOf = (id: string): Host | undefined => HOSTS.find((host) => host.id === id);

export const installedHosts = (system: System): readonly Host[] =>
  HOSTS.filter(({ signs }) => signs.some((sign) => existsSync(pathAt(sign, system))));
