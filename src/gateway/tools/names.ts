/** Which tools of other servers a skill's front matter names. */

import type { CatalogEntry } from '../../sources/scan/entry.ts';

export interface WantedTool {
  /** As the author wrote it; null means any server. */
  readonly server: string | null;
  /** `*` for all tools of the server. */
  readonly tool: string;
}

/** `mcp__server__tool`: how hosts name MCP tools in `allowed-tools`. */
const HOST_NAME = /^mcp__(.+?)__(.+)$/;

/** In the author's order. May contain a host's own tools (`Read`), which no server offers. */
export function wantedTools({ mcpTools, allowedTools }: Pick<CatalogEntry, 'mcpTools' | 'allowedTools'>) {
  const wanted = new Map<string, WantedTool>();
  for (const name of [...mcpTools, ...allowedTools]) {
    // `Bash(git:*)` is a permission rule of a host.
    if (name.includes('(') || name === '*') continue;
    for (const meant of meanings(name)) wanted.set(`${meant.server ?? ''} ${meant.tool}`, meant);
  }
  return [...wanted.values()];
}

/** The names that can only mean tools of MCP servers, as written: the other allowed tools may be the host's own. */
export const mcpNames = ({ mcpTools, allowedTools }: Pick<CatalogEntry, 'mcpTools' | 'allowedTools'>) => [
  ...mcpTools,
  ...allowedTools.filter((name) => HOST_NAME.test(name)),
];

/** A name with a slash is either a tool's name or `server/tool`: both are returned. */
function meanings(name: string): WantedTool[] {
  const [, server, tool] = HOST_NAME.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return [{ server, tool }];
  const slash = name.indexOf('/');
  const own = { server: null, tool: name };
  if (slash <= 0 || slash === name.length - 1) return [own];
  return [own, { server: name.slice(0, slash), tool: name.slice(slash + 1) }];
}

/** Hosts write `my_server` for a server named `my-server` here. */
export const isServer = (written: string, name: string) =>
  written === name || written.replace(/[^a-z0-9]/gi, '-').toLowerCase() === name;
