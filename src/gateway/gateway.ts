/**
 * The use cases, as every surface (MCP, command line, library) sees them. Names are the domain's; snake_case,
 * schemas and JSON-RPC errors belong to `mcp/`.
 */

import type { CatalogSummary } from '../catalog/summary.ts';
import type { Evidence, Filter, SearchAnswer, SearchHit, SearchRequest } from '../search/answer.ts';
import type { Copy } from '../search/copies.ts';
import type { Mark } from '../skills/suspicion.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { CallToolResult } from '../sources/upstream.ts';
import type { LoadedFile } from './skill-files.ts';

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

export type { CatalogSummary } from '../catalog/summary.ts';
export { GatewayError, type GatewayErrorCode } from './gateway-error.ts';
export type { LoadedFile } from './skill-files.ts';

/** Joins the parts of a heading path written as one string. */
export const HEADING_SEPARATOR = ' › ';

/** Some lines of a text file, cut at a token budget. */
export interface TextSlice {
  readonly text: string;
  /** Lines of the file that `text` holds, 1-based, both included. */
  readonly lines: readonly [from: number, to: number];
  readonly lineCount: number;
  /** True where the budget cut it; `continueAt` is then the next line to ask for. */
  readonly truncated: boolean;
  readonly continueAt?: number;
}

/** A hit with the shortest form of its id that `load` and `read` understand. */
export interface FoundSkill extends SearchHit {
  readonly shortId: string;
}

export interface FoundSkills extends SearchAnswer {
  readonly hits: readonly FoundSkill[];
  /** The skills behind the page, as many as were asked for. */
  readonly also?: readonly { readonly entry: Pick<CatalogEntry, 'id'>; readonly shortId: string }[];
}

export interface LoadRequest {
  /** Id, the end of one, URI or name. */
  readonly skill: string;
  /** What the caller wants to do: adds `startAt`. */
  readonly query?: string;
  /** A heading of the outline: its own text, or the path joined with ` › `. */
  readonly section?: string;
  /** Default 8,000; 100–50,000. */
  readonly maxTokens?: number;
}

export interface LoadedSkill {
  readonly entry: CatalogEntry;
  /** The body without its front matter, or the section asked for. */
  readonly instructions: TextSlice;
  readonly outline: readonly { readonly heading: string; readonly level: number; readonly line: number }[];
  readonly files: readonly LoadedFile[];
  /** Identical copies of the skill elsewhere; absent where there are none. */
  readonly copies?: readonly Copy[];
  /** Front matter as parsed YAML; empty where there is none. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** With a query: the passages that match it best, best first. */
  readonly startAt?: readonly Evidence[];
  /** The shortest form of its id that finds it. */
  readonly shortId: string;
  /** Present where the skill names tools of other servers. */
  readonly tools?: SkillTools;
  /** MCP tools that the skill names and no server here offers, as its author wrote them; absent if there are none. */
  readonly uncovered?: readonly string[];
}

export interface ReadRequest {
  readonly skill: string;
  readonly path: string;
  readonly lines?: readonly [from: number, to: number];
  readonly heading?: string;
  /** Default 4,000; 100–50,000. */
  readonly maxTokens?: number;
}

export type ReadResult =
  | {
      readonly kind: 'text';
      readonly path: string;
      readonly mimeType: string;
      readonly slice: TextSlice;
      /** What is suspicious in the file; absent where nothing is. */
      readonly marks?: readonly Mark[];
    }
  | { readonly kind: 'image'; readonly path: string; readonly mimeType: string; readonly base64: string };

export interface SkillPage {
  readonly total: number;
  readonly entries: readonly CatalogEntry[];
  readonly nextCursor?: string;
}

/** A skill with its files as they are on disk now, for surfaces that serve whole files. */
export interface SkillOnDisk {
  readonly entry: CatalogEntry;
  /** URI of its folder, without a slash at its end: the entry's own, or a shorter one that was asked for. */
  readonly root: string;
  /** Continues `publishable` after this skill. */
  readonly cursor: string;
  /** Without those of nested skills. */
  readonly files: readonly LoadedFile[];
  /** The skills in its folder, at any depth, of those that the caller may see: each with its root below this one's. */
  nested(): Promise<readonly SkillOnDisk[]>;
  /**
   * Bytes of one of `files`, by its path; at most 16 MiB. Rejects where it cannot be read. `indexed`: of a stand-in its own,
   * which the index knows, not the file's.
   */
  bytes(path: string, which?: 'indexed'): Promise<Uint8Array>;
}

/** An unambiguous name of a skill, and its age. */
export interface SkillLabel {
  /** Its name, or a short alias where others share the name: `load` and `read` find this skill by it. */
  readonly name: string;
  /** When its skill file was last changed, ISO 8601; absent where the file cannot be read. */
  readonly modifiedAt?: string;
}

/** All throw `GatewayError`; `search` also lets `IndexError` through. Each answers from one index generation. */
export interface Gateway {
  search(request: SearchRequest): Promise<FoundSkills>;
  load(request: LoadRequest): Promise<LoadedSkill>;
  /** The skill that `load` would find, where no one reads its text: to run a script is no load. */
  find(request: Pick<LoadRequest, 'skill'>): Promise<Pick<LoadedSkill, 'entry' | 'files' | 'frontmatter'>>;
  read(request: ReadRequest): Promise<ReadResult>;
  /** Entries in order of id, from `cursor` or else from position `offset`; `limit` 1–200. Looks at the folders first. */
  list(request: {
    readonly audience?: Filter['audience'];
    readonly cursor?: string;
    readonly offset?: number;
    readonly limit: number;
  }): Promise<SkillPage>;
  /** Labels of the entries, one each, in their order. */
  labels(entries: readonly CatalogEntry[]): Promise<readonly SkillLabel[]>;
  /** Unambiguous names of all skills for people whose name or id has this prefix, in code-unit order; case is ignored. */
  complete(prefix: string): Promise<readonly string[]>;
  /** `atOnce`: themes may be those of an earlier state of the catalog. */
  summary(request?: { readonly atOnce?: boolean }): Promise<CatalogSummary>;
  /** Skills in order of id, and whether more follow; `limit` 1–500. */
  publishable(request: { readonly cursor?: string; readonly limit: number }): Promise<{
    readonly skills: readonly SkillOnDisk[];
    readonly more: boolean;
  }>;
  /**
   * The skill whose folder contains the URI, or is the URI; the deepest of several. `skill://<name>/…` is the only skill
   * with that name.
   */
  publishableAt(uri: string): Promise<SkillOnDisk | undefined>;
  /** URIs of skills whose id begins with or contains the text, best first; `limit` 1–200. */
  completeUri(request: { readonly text: string; readonly limit: number }): Promise<readonly string[]>;
  /** Calls a tool of another server; absent where there are none. */
  useTool?(request: ToolRequest): Promise<ToolOutcome>;
  /** Calls back after each new generation that changes the catalog; returns how to stop it. */
  onChange(listener: (generation: number) => void): () => void;
}
