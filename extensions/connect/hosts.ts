/**
 * The hosts that `connect` writes to: one entry each, declared as data; here those whose own program was run. How files are
 * found is in `locations.ts`, how they are edited in `edit.ts`. A test keeps docs/hosts.md equal to the list.
 */

import {
  bareLineEntry,
  columns,
  commaEntry,
  escapedPathEntry,
  lineEntry,
  nameEntry,
  namesLine,
  roundedTokens,
  scopeEntry,
  shortPathEntry,
  spacedEntry,
} from './entries.ts';
import { EVERYTHING, type Host, type HostEntry, measuredIn, plain, toHost, typed } from './host.ts';
import { DOCUMENTED } from './hosts-documented.ts';
import { refusesBrokenYaml } from './listing.ts';

/** `hint` takes half a second of a processor, and that long where 30 processes share two. The hosts' own limit is 30 or 60. */
const HOOK_SECONDS = 10;

const MEASURED: readonly HostEntry[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    files: { user: ['{claudeState}/.claude.json'], project: ['{project}/.mcp.json'] },
    programs: ['claude'],
    signs: ['{claudeState}/.claude.json', '{claude}'],
    // Claude Code then also waits for the server before its first request.
    entry: (launch) => ({ ...typed(launch), alwaysLoad: true }),
    hide: {
      setting: { path: ['permissions', 'deny'], value: 'Skill', append: true },
      files: { user: ['{claude}/settings.json'], project: ['{project}/.claude/settings.json'] },
    },
    allow: {
      setting: { path: ['permissions', 'allow'], value: 'mcp__skillgate', append: true },
      files: { user: ['{claude}/settings.json'], project: ['{project}/.claude/settings.json'] },
    },
    hook: {
      event: 'UserPromptSubmit',
      timeout: HOOK_SECONDS,
      files: { user: ['{claude}/settings.json'], project: ['{project}/.claude/settings.json'] },
    },
    listing: {
      entry: lineEntry,
      describe: ({ description, whenToUse }) => [description, whenToUse].filter(Boolean).join(' - '),
      mostDescription: 1_536,
      // 1 % of the window, at 3 columns a token in current models and 4 in those before.
      limit: (tokens) => tokens * (tokens >= 1_000_000 ? 3 : 4) * 0.01,
      size: columns,
      // Bundled skills: eleven whole entries, and two that give way like those of the user.
      taken: 6_052,
      ownSkills: [
        { name: 'init', description: 'x'.repeat(59) },
        { name: 'security-review', description: 'x'.repeat(71) },
      ],
      overflow: 'descriptions',
    },
    source: measuredIn('2.1.332'),
  },
  {
    id: 'codex',
    name: 'Codex',
    format: 'toml',
    files: { user: ['{codex}/config.toml'], project: ['{project}/.codex/config.toml'] },
    programs: ['codex'],
    signs: ['{codex}'],
    servers: ['mcp_servers'],
    hide: { setting: { path: ['skills', 'include_instructions'], value: false } },
    hook: {
      event: 'UserPromptSubmit',
      timeout: HOOK_SECONDS,
      files: { user: ['{codex}/hooks.json'], project: ['{project}/.codex/hooks.json'] },
      remark: 'Codex runs the hook once you trust it: type /hooks there.',
    },
    listing: {
      entry: shortPathEntry,
      mostDescription: 1_024,
      // 2 % of the window.
      limit: (tokens) => tokens * 0.02,
      size: roundedTokens,
      ownSkills: [
        { name: 'imagegen', description: 'x'.repeat(570) },
        { name: 'openai-docs', description: 'x'.repeat(624) },
        { name: 'skill-creator', description: 'x'.repeat(106) },
        { name: 'skill-installer', description: 'x'.repeat(225) },
      ],
      overflow: 'shortened',
    },
    source: measuredIn('0.171.0'),
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    files: { user: ['{home}/.gemini/settings.json'], project: ['{project}/.gemini/settings.json'] },
    programs: ['gemini'],
    // Antigravity keeps its files in the same folder.
    signs: ['{home}/.gemini/settings.json', '{home}/.gemini/projects.json', '{home}/.gemini/tmp'],
    hide: {
      setting: { path: ['skills', 'enabled'], value: false },
      reservation:
        'Gemini CLI tells its model to ignore instructions in results of MCP tools, loaded skills included, but not those of skills that its own list activates.',
    },
    allow: { inEntry: { trust: true } },
    hook: {
      event: 'BeforeAgent',
      timeout: HOOK_SECONDS * 1_000,
      files: { user: ['{home}/.gemini/settings.json'], project: ['{project}/.gemini/settings.json'] },
    },
    listing: {
      ...EVERYTHING,
      // Its tool names all skills twice.
      again: (names) => names.map((name) => `'${name}', "${name}",`).join(''),
    },
    source: measuredIn('0.61.0'),
  },
  {
    id: 'opencode',
    name: 'opencode',
    files: {
      user: ['{config}/opencode/opencode.json', '{config}/opencode/opencode.jsonc'],
      project: ['{project}/opencode.json', '{project}/opencode.jsonc'],
    },
    programs: ['opencode'],
    signs: ['{config}/opencode'],
    // Version 2 also reads the shape of version 1; files that use its own shape keep to it.
    servers: ['mcp'],
    serversWhereFound: ['mcp', 'servers'],
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args] }),
    hide: { setting: { path: ['permission', 'skill'], value: 'deny' } },
    source: measuredIn('1.18.33'),
  },
  {
    id: 'copilot-cli',
    name: 'Copilot CLI',
    files: { user: ['{copilot}/mcp-config.json'], project: ['{project}/.github/mcp.json'] },
    programs: ['copilot'],
    signs: ['{copilot}'],
    entry: ({ command, args }) => ({ type: 'local', command, args, tools: ['*'] }),
    // No setting hides the whole list.
    hide: {
      setting: { path: ['disabledSkills'], value: [], isNames: true },
      files: { user: ['{copilot}/settings.json'] },
    },
    listing: {
      entry: scopeEntry,
      limit: () => 15_000,
      overflow: 'omitted',
      rest: (names) => namesLine('Additional skills available (invoke by name): ', names, 5_000),
      refuses: ({ description, hasListOfHints }) =>
        description.length > 1_024
          ? 'a description of more than 1,024 characters'
          : hasListOfHints === true
            ? 'a list as `argument-hint`'
            : null,
    },
    source: measuredIn('1.0.102'),
  },
  {
    id: 'cline',
    name: 'Cline',
    files: { user: ['{clineServers}'] },
    programs: ['cline'],
    signs: ['{cline}'],
    // Cline gives up on a server that does not answer within 3 s.
    entry: (launch) => ({ ...plain(launch), timeout: 30 }),
    listing: {
      entry: nameEntry,
      limit: null,
      overflow: 'omitted',
      refuses: refusesBrokenYaml,
    },
    source: measuredIn('3.0.65'),
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    files: { user: ['{home}/.qwen/settings.json'], project: ['{project}/.qwen/settings.json'] },
    programs: ['qwen'],
    signs: ['{home}/.qwen'],
    // Otherwise it defers the tools, and the model has to search for them.
    entry: (launch) => ({ ...plain(launch), alwaysLoadTools: true }),
    // Its bundled skills, and those of its extensions, stay.
    hide: { setting: { path: ['skills', 'disabledLevels'], value: ['project', 'user'] } },
    listing: {
      entry: spacedEntry,
      // From 8,000 characters on, which only short lists keep to, the first line of each.
      describe: ({ description, whenToUse }) =>
        [description.split('\n')[0]?.trim(), whenToUse].filter(Boolean).join(' — '),
      limit: null,
      overflow: 'omitted',
    },
    source: measuredIn('0.24.4'),
  },
  {
    id: 'continue',
    name: 'Continue',
    format: 'yaml',
    files: { user: ['{home}/.continue/config.yaml'] },
    programs: ['cn'],
    signs: ['{home}/.continue'],
    listsServers: true,
    newFile: 'name: Local Config\nversion: 1.0.0\nschema: v1\n',
    entry: (launch) => ({ name: 'skillgate', ...plain(launch) }),
    listing: { entry: commaEntry, limit: null, overflow: 'omitted', refuses: refusesBrokenYaml },
    source: measuredIn('1.5.47'),
  },
  {
    id: 'kilo',
    name: 'Kilo',
    files: {
      user: ['{config}/kilo/kilo.json', '{config}/kilo/kilo.jsonc'],
      project: ['{project}/kilo.json', '{project}/kilo.jsonc', '{project}/.kilo/kilo.json'],
    },
    programs: ['kilo'],
    signs: ['{config}/kilo'],
    servers: ['mcp'],
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args] }),
    hide: { setting: { path: ['permission', 'skill'], value: 'deny' } },
    source: measuredIn('7.7.9'),
  },
  {
    id: 'pi',
    name: 'pi',
    files: { user: ['{home}/.pi/agent/mcp.json'], project: ['{project}/.pi/mcp.json'] },
    programs: ['pi'],
    signs: ['{home}/.pi/agent'],
    // Otherwise the model sees the name of the server alone.
    entry: (launch) => ({ ...plain(launch), exposure: 'direct' }),
    listing: { ...EVERYTHING, entry: escapedPathEntry, refuses: refusesBrokenYaml },
    source: measuredIn('1.6.0'),
  },
  {
    id: 'droid',
    name: 'Droid',
    files: { user: ['{home}/.factory/mcp.json'], project: ['{project}/.factory/mcp.json'] },
    programs: ['droid'],
    signs: ['{home}/.factory'],
    entry: typed,
    listing: {
      entry: bareLineEntry,
      describe: ({ description }) => description.replace(/\s+/g, ' '),
      mostDescription: 1_024,
      // 1.5 % of the 250,000 tokens from which on it compacts, at 4 characters a token.
      limit: () => 15_000,
      // Its 20 bundled skills are always whole.
      taken: 5_275,
      overflow: 'descriptions',
    },
    source: measuredIn('0.215.0'),
  },
];

export const HOSTS: readonly Host[] = [...MEASURED, ...DOCUMENTED].map(toHost);

export const findHost = (id: string): Host | undefined => HOSTS.find((host) => host.id === id);
