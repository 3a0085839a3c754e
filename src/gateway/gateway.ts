/**
 * The use cases, as every surface (MCP, command line, library) sees them. Names are the domain's; snake_case,
 * schemas and JSON-RPC errors belong to `mcp/`.
 */

import type { CatalogEntry } from '../catalog/entry.ts';
import type { CallToolResult } from '../peers/tools.ts';
import type { Filter, SearchAnswer, SearchRequest } from '../search/answer.ts';
import type { BundleAnswer } from '../search/bundle.ts';
import type { Copy } from '../search/copies.ts';
import type { WhyAnswer } from '../search/why.ts';
import type { FileKind } from '../skills/skill.ts';

/**
 * - `SKILL_UNKNOWN`: nothing by that id, URI or name; `data.nearest` holds up to five ids.
 * - `SKILL_AMBIGUOUS`: several skills of that name; `data.candidates` holds {id, description} of each.
 * - `SKILL_GONE`: it is in the catalog, but its file cannot be read any more.
 * - `SECTION_UNKNOWN`: no such heading; `data.headings` holds those that exist.
 * - `PATH_UNKNOWN`: no such file in the skill; `data.nearest` holds up to five paths.
 * - `PATH_REFUSED`: the path leads out of the skill's folder.
 * - `FILE_BINARY`: neither text nor image; `data` holds mimeType and size.
 * - `FILE_TOO_LARGE`: over the limit of one read; `data` holds size and limit.
 * - `LINES_INVALID`: not a range of the file; `data.lineCount` says how long it is.
 * - `REQUEST_INVALID`: an argument is out of range; the message says which and what is allowed.
 * - `TOOL_REFUSED`: no such tool of another server, or it may not be called; `data` holds server and tool.
 * - `UPSTREAM_FAILED`: the other server; `data.reason` is a `PeerErrorCode`, `data.upstream` its own JSON-RPC error.
 * - `TOOL_RESULT_TOO_LARGE`: the tool's result is over the limit; `data` holds size and limit.
 * - `SCRIPT_UNKNOWN`: no such file below the skill's `scripts/`; `data.scripts` holds those that exist.
 * - `SCRIPT_REFUSED`: it may not be run: not allowed, or not as the catalog knows it.
 * - `SCRIPT_ARGUMENTS`: the arguments cannot be passed on; the message says why.
 * - `SCRIPTS_BUSY`: too many runs wait already.
 * - `SCRIPTS_UNAVAILABLE`: no sandbox can be had, or none could be set up: nothing was run.
 * - `SCRIPT_CANCELLED`: cancelled, or not agreed to, before it began.
 */
export type GatewayErrorCode =
  | 'SKILL_UNKNOWN'
  | 'SKILL_AMBIGUOUS'
  | 'SKILL_GONE'
  | 'SECTION_UNKNOWN'
  | 'PATH_UNKNOWN'
  | 'PATH_REFUSED'
  | 'FILE_BINARY'
  | 'FILE_TOO_LARGE'
  | 'LINES_INVALID'
  | 'REQUEST_INVALID'
  | 'TOOL_REFUSED'
  | 'UPSTREAM_FAILED'
  | 'TOOL_RESULT_TOO_LARGE'
  | 'SCRIPT_UNKNOWN'
  | 'SCRIPT_REFUSED'
  | 'SCRIPT_ARGUMENTS'
  | 'SCRIPTS_BUSY'
  | 'SCRIPTS_UNAVAILABLE'
  | 'SCRIPT_CANCELLED';

export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: GatewayErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: GatewayErrorCode, message: string, data: Record<string, unknown> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = data;
  }
}

/** How the parts of a heading path are joined where it is written as one string. */
export const HEADING_SEPARATOR = ' › ';

/** A stretch of a text file, cut at a token budget. */
export interface TextSlice {
  readonly text: string;
  /** Lines of the file that `text` holds, 1-based, both included. */
  readonly lines: readonly [from: number, to: number];
  readonly lineCount: number;
  /** True where the budget cut it; `continueAt` is then the next line to ask for. */
  readonly truncated: boolean;
  readonly continueAt?: number;
}

export interface LoadRequest {
  /** Id, URI or name. */
  readonly skill: string;
  /** A heading of the outline: its own text, or the path joined with ` › `. */
  readonly section?: string;
  /** Default 8,000; 100–50,000. */
  readonly maxTokens?: number;
}

export interface LoadedFile {
  readonly path: string;
  readonly kind: FileKind;
  readonly size: number;
  readonly mimeType: string;
}

export interface LoadedSkill {
  readonly entry: CatalogEntry;
  /** The body without its front matter, or the section asked for. */
  readonly instructions: TextSlice;
  readonly outline: readonly { readonly heading: string; readonly level: number; readonly line: number }[];
  readonly files: readonly LoadedFile[];
  /** Where else the very same skill is; absent where it is nowhere else. */
  readonly copies?: readonly Copy[];
  /** Front matter as YAML gives it; empty where there is none to be had. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** Where the skill names tools that other servers offer. */
  readonly tools?: SkillTools;
}

/** A tool of another server. All but the names of server and tool are that server's words: data, not instructions. */
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

export interface SkillTools {
  /** False where tools are called here by nobody, or not through this gateway. */
  readonly callable: boolean;
  readonly tools: readonly UpstreamTool[];
  /** How many more it names. */
  readonly unlisted: number;
  /** Servers that would be asked, and do not answer. */
  readonly unavailable: readonly string[];
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

/** As the other server gave it. */
export type ToolOutcome = CallToolResult;

export interface ReadRequest {
  readonly skill: string;
  readonly path: string;
  readonly lines?: readonly [from: number, to: number];
  readonly heading?: string;
  /** Default 4,000; 100–50,000. */
  readonly maxTokens?: number;
}

export type ReadResult =
  | { readonly kind: 'text'; readonly path: string; readonly mimeType: string; readonly slice: TextSlice }
  | { readonly kind: 'image'; readonly path: string; readonly mimeType: string; readonly base64: string };

export interface WhySkillRequest {
  readonly query: string;
  /** Id, URI or name. */
  readonly skill: string;
  /** Hits of a first page, 1–50. Default 5. */
  readonly page?: number;
}

export interface BundleSkillsRequest {
  /** The task, in the asker's words. */
  readonly query: string;
  /** Tokens that loading all skills of the bundle may take, 100–50,000. Default 24,000. */
  readonly maxTokens?: number;
  /** Most skills, 1–50. Default 5. */
  readonly limit?: number;
  readonly filter?: Filter;
}

export interface SkillPage {
  readonly total: number;
  readonly entries: readonly CatalogEntry[];
  readonly nextCursor?: string;
}

/** What the catalog holds, for instructions and `stats`. */
export interface CatalogSummary {
  readonly skills: number;
  readonly references: number;
  readonly sources: readonly { readonly name: string; readonly skills: number }[];
  /** What the skills are about: labels of the largest groups with sample names. Deterministic. */
  readonly themes: readonly {
    readonly label: string;
    readonly skills: number;
    readonly samples: readonly string[];
  }[];
  /** Number of the index generation that this describes. */
  readonly generation: number;
}

/** A skill with its files as they are on disk now, for surfaces that serve whole files. */
export interface SkillOnDisk {
  readonly entry: CatalogEntry;
  readonly files: readonly LoadedFile[];
  /** Bytes of one of `files`, by its path; at most 16 MiB. Rejects where it cannot be read. */
  bytes(path: string): Promise<Uint8Array>;
}

/** What tells a skill from all others where only a name can be given, and how old it is. */
export interface SkillLabel {
  /** Its name, or its id where others share the name: `load` and `read` find this skill by it. */
  readonly name: string;
  /** When its skill file was last changed, ISO 8601; absent where it cannot be looked at. */
  readonly modifiedAt?: string;
}

/** All throw `GatewayError`; `search` also lets `IndexError` through. Each answers from one index generation. */
export interface Gateway {
  search(request: SearchRequest): Promise<SearchAnswer>;
  /** The smallest set of skills that covers a task with several parts, under a budget of tokens. */
  bundle(request: BundleSkillsRequest): Promise<BundleAnswer>;
  /** Why a skill stands where it stands for a query, and which words of its description would change that. */
  why(request: WhySkillRequest): Promise<WhyAnswer>;
  load(request: LoadRequest): Promise<LoadedSkill>;
  read(request: ReadRequest): Promise<ReadResult>;
  /** Entries in order of id, from `cursor` or else from position `offset`; `limit` 1–200. */
  list(request: {
    readonly cursor?: string;
    readonly offset?: number;
    readonly limit: number;
  }): Promise<SkillPage>;
  /** Labels of the entries, one each, in their order. */
  labels(entries: readonly CatalogEntry[]): Promise<readonly SkillLabel[]>;
  /** What skills are called whose name or id begins so, in code-unit order, whatever the case; all of them. */
  complete(prefix: string): Promise<readonly string[]>;
  summary(): Promise<CatalogSummary>;
  /** Skills that keep the specification's rules, in order of id; `limit` 1–500. */
  publishable(request: { readonly cursor?: string; readonly limit: number }): Promise<{
    readonly skills: readonly SkillOnDisk[];
    readonly nextCursor?: string;
  }>;
  /** The one of them in whose folder the URI lies, the deepest of several; the folder's own URI counts. */
  publishableAt(uri: string): Promise<SkillOnDisk | undefined>;
  /** URIs of those whose id begins with, or else holds, the text; the nearest first; `limit` 1–200. */
  completeUri(request: { readonly text: string; readonly limit: number }): Promise<readonly string[]>;
  /** Calls a tool of another server; absent where there are none. */
  useTool?(request: ToolRequest): Promise<ToolOutcome>;
  /** Calls back after each new generation that changes the catalog; returns how to stop it. */
  onChange(listener: (generation: number) => void): () => void;
}
