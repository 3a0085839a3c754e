/** Requests and results of tools that other MCP servers offer, as the gateway's surfaces see them. */

import type { CallToolResult } from '../../sources/upstream/tools.ts';

/** A tool of another server. Everything except the two names is text of that server: data, not instructions. */
export interface UpstreamTool {
  /** The name of its source. */
  readonly server: string;
  readonly tool: string;
  readonly title?: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** The tools that one skill names. */
export interface SkillTools {
  /** False where the configuration switches calls off. */
  readonly callable: boolean;
  readonly tools: readonly UpstreamTool[];
  /** Number of named tools that are not listed. */
  readonly unlisted: number;
  /** Servers that may offer a named tool and did not answer. */
  readonly unavailable: readonly string[];
}

/** What is known here of the tools that one skill names. */
export interface NamedTools {
  /** Absent where no server here offers any of them or may do so. */
  readonly tools?: SkillTools;
  /** Names of MCP tools that no server here offers; absent if there are none. */
  readonly uncovered?: readonly string[];
}

export interface ToolRequest {
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** The other server's result, unchanged. */
export type ToolOutcome = CallToolResult;
