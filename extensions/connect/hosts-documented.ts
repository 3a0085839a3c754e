/** Hosts whose entries follow the documents of their makers: their programs need an account, or a window. */

import { documentedAt, type HostEntry, typed } from './host.ts';
import type { Location } from './locations.ts';

function vscode(id: string, name: string, folder: string, program: string): HostEntry {
  return {
    id,
    name,
    files: { user: [`{apps}/${folder}/User/mcp.json`], project: ['{project}/.vscode/mcp.json'] },
    programs: [program],
    signs: [`{apps}/${folder}/User`],
    servers: ['servers'],
    entry: typed,
    hide: {
      setting: { path: ['chat.useAgentSkills'], value: false },
      files: { user: [`{apps}/${folder}/User/settings.json`], project: ['{project}/.vscode/settings.json'] },
    },
    source: documentedAt('code.visualstudio.com/docs/agent-customization/agent-skills'),
  };
}

const inConfig = (path: string, onWindows = path): Location => ({
  linux: `{config}/${path}`,
  darwin: `{config}/${path}`,
  win32: `{appdata}/${onWindows}`,
});

export const DOCUMENTED: readonly HostEntry[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    files: { user: ['{apps}/Claude/claude_desktop_config.json'] },
    signs: ['{apps}/Claude'],
    source: documentedAt('support.claude.com/en/articles/12512180-using-skills-in-claude'),
  },
  {
    id: 'cursor',
    name: 'Cursor',
    files: { user: ['{home}/.cursor/mcp.json'], project: ['{project}/.cursor/mcp.json'] },
    programs: ['cursor', 'cursor-agent'],
    signs: ['{home}/.cursor'],
    source: documentedAt('cursor.com/docs/context/skills'),
  },
  vscode('vscode', 'VS Code', 'Code', 'code'),
  vscode('vscode-insiders', 'VS Code Insiders', 'Code - Insiders', 'code-insiders'),
  {
    id: 'goose',
    name: 'Goose',
    format: 'yaml',
    files: { user: [inConfig('goose/config.yaml', 'Block/goose/config/config.yaml')] },
    programs: ['goose'],
    signs: [inConfig('goose', 'Block/goose')],
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
    source: documentedAt('block.github.io/goose/docs/guides/context-engineering/using-skills'),
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    files: { user: ['{home}/.codeium/windsurf/mcp_config.json'] },
    programs: ['windsurf'],
    signs: ['{home}/.codeium/windsurf'],
    source: documentedAt('docs.windsurf.com/windsurf/cascade/skills'),
  },
  // The successor of Windsurf.
  {
    id: 'devin',
    name: 'Devin Desktop',
    files: { user: [inConfig('devin/mcp_config.json')], project: ['{project}/.devin/mcp_config.json'] },
    signs: [inConfig('devin/mcp_config.json')],
    source: documentedAt('docs.devin.ai/desktop/cascade/mcp'),
  },
  {
    id: 'devin-cli',
    name: 'Devin CLI',
    files: { user: [inConfig('devin/config.json')], project: ['{project}/.devin/config.json'] },
    programs: ['devin'],
    signs: [inConfig('devin/config.json')],
    source: documentedAt('docs.devin.ai/cli/extensibility/mcp/configuration'),
  },
  // The successor of Gemini CLI: the desktop program, the IDE and `agy`. Before version 2 the file was in `.gemini/antigravity`.
  {
    id: 'antigravity',
    name: 'Antigravity',
    files: {
      user: ['{home}/.gemini/config/mcp_config.json'],
      project: ['{project}/.agents/mcp_config.json'],
    },
    programs: ['agy', 'antigravity'],
    signs: ['antigravity', 'antigravity-cli', 'antigravity-ide', 'config'].map(
      (name) => `{home}/.gemini/${name}`,
    ),
    source: documentedAt('antigravity.google/docs/mcp'),
  },
  {
    id: 'zed',
    name: 'Zed',
    files: { user: [inConfig('zed/settings.json', 'Zed/settings.json')] },
    programs: ['zed', 'zeditor'],
    signs: [inConfig('zed', 'Zed')],
    servers: ['context_servers'],
    source: documentedAt('zed.dev/docs/ai/skills'),
  },
  {
    id: 'amp',
    name: 'Amp',
    files: {
      user: ['{config}/amp/settings.json', '{config}/amp/settings.jsonc'],
      project: ['{project}/.amp/settings.json', '{project}/.amp/settings.jsonc'],
    },
    programs: ['amp'],
    signs: ['{config}/amp'],
    servers: ['amp.mcpServers'],
    source: documentedAt('ampcode.com/manual'),
  },
  {
    id: 'kiro',
    name: 'Kiro',
    files: { user: ['{home}/.kiro/settings/mcp.json'], project: ['{project}/.kiro/settings/mcp.json'] },
    programs: ['kiro', 'kiro-cli'],
    signs: ['{home}/.kiro'],
    source: documentedAt('kiro.dev/docs/mcp/configuration'),
  },
  {
    id: 'hermes',
    name: 'Hermes',
    format: 'yaml',
    files: { user: ['{hermes}/config.yaml'] },
    programs: ['hermes'],
    signs: ['{hermes}'],
    servers: ['mcp_servers'],
    source: documentedAt('hermes-agent.nousresearch.com/docs/user-guide/features/mcp'),
  },
  {
    id: 'openclaw',
    name: 'OpenClaw',
    files: { user: ['{home}/.openclaw/openclaw.json'] },
    programs: ['openclaw'],
    signs: ['{home}/.openclaw'],
    servers: ['mcp', 'servers'],
    source: documentedAt('docs.openclaw.ai/cli/mcp'),
  },
];
