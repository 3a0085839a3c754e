/**
 * Tools that hosts of skills offer, for `allowed-tools`. A name that no host has grants nothing, and its author does not
 * notice. Tools of MCP servers depend on the machine: `skillgate doctor` compares them with the servers that are connected.
 */

import { distance } from 'fastest-levenshtein';

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
export function unknownTools(names: readonly string[]): UnknownTool[] {
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
