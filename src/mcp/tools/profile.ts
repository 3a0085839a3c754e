/** A tool profile: the tools that a server offers, and how they are spoken of. Each dialect declares its own. */

import type { Wording } from '../instructions.ts';
import type { Tool } from '../tool.ts';

export interface ToolProfile {
  /** In the order in which an agent needs them. */
  readonly tools: readonly Tool[];
  readonly wording: Wording;
}

/** The same profile with one tool more. */
export const withTool = (profile: ToolProfile, tool: Tool): ToolProfile => ({
  ...profile,
  tools: [...profile.tools, tool],
});
