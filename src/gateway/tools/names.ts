/** Which tools of other servers a skill means by the names that its author wrote. */

import type { CatalogEntry } from '../../catalog/entry.ts';

export interface WantedTool {
  /** As the author wrote it; null where any server's will do. */
  readonly server: string | null;
  /** `*` for all of the server's. */
  readonly tool: string;
}

/** `mcp__server__tool`, as hosts call tools of their servers in `allowed-tools`. */
const HOST_NAME = /^mcp__(.+?)__(.+)$/;

/** In the author's order. A host's own tools are among them (`Read`): no server has those, so nothing comes of it. */
export function wantedTools({ mcpTools, allowedTools }: Pick<CatalogEntry, 'mcpTools' | 'allowedTools'>) {
  const wanted = new Map<string, WantedTool>();
  for (const name of [...mcpTools, ...allowedTools]) {
    // `Bash(git:*)` is a rule of a host.
    if (name.includes('(') || name === '*') continue;
    for (const meant of meanings(name)) wanted.set(`${meant.server ?? ''} ${meant.tool}`, meant);
  }
  return [...wanted.values()];
}

/** A name with a slash is a tool's own, or a server's and a tool's. */
function meanings(name: string): WantedTool[] {
  const [, server, tool] = HOST_NAME.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return [{ server, tool }];
  const slash = name.indexOf('/');
  const own = { server: null, tool: name };
  if (slash <= 0 || slash === name.length - 1) return [own];
  return [own, { server: name.slice(0, slash), tool: name.slice(slash + 1) }];
}

/** Hosts write `my_server` for a server that is called `my-server` here. */
export const isServer = (written: string, name: string) =>
  written === name || written.replace(/[^a-z0-9]/gi, '-').toLowerCase() === name;
