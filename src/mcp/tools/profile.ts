/** A tool profile: the tools that a server offers, and the texts that describe them. */

import type { Wording } from '../instructions.ts';
import type { Tool } from '../tool.ts';

export interface ToolProfile {
  /** In the order in which an agent needs them. */
  readonly tools: readonly Tool[];
  readonly wording: Wording;
}

/** The profile with one more tool at the end. */
export const withTool = (profile: ToolProfile, tool: Tool): ToolProfile => ({
  ...profile,
  tools: [...profile.tools, tool],
});
