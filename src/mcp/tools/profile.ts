/** A tool profile: the tools that a server offers, and the texts that describe them. */

import type { Wording } from '../instructions.ts';
import type { Tool } from '../tool.ts';

export interface ToolProfile {
  /** In the order in which an agent needs them. */
  readonly tools: readonly Tool[];
  readonly wording: Wording;
  /** Before the names of tools in calls of clients that write the server's name there. */
  readonly prefix?: string;
}

/** The tools of all profiles. */
export const OWN_TOOLS: ReadonlySet<string> = new Set([
  'search_skills',
  'load_skill',
  'read_reference',
  'list_skills',
  'get_skill',
  'execute',
  'run_script',
  'use_tool',
]);

/** The profile with one more tool at the end. */
export const withTool = (profile: ToolProfile, tool: Tool): ToolProfile => ({
  ...profile,
  tools: [...profile.tools, tool],
});
