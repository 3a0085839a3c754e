/**
 * The types of the package's programming interface. They stand alone: a program that uses them needs no other package.
 * Results have the field names of the MCP tools' results, and requests those of their arguments.
 */

export interface SkillgateOptions {
  /** Folders with skills. Default: the configured sources, else the folders that agents use. */
  readonly skills?: string | readonly string[];
  /** Folder of the index. Default: in the user cache, one per set of folders. */
  readonly index?: string;
  /** A transformers.js model id or folder. Default: the shipped model. */
  readonly embedder?: string;
  /** How vectors are searched. Default `auto`. */
  readonly vectors?: 'auto' | 'exact' | 'hnsw';
  /** A configuration file. Default: the nearest one at or above `cwd`. */
  readonly config?: string;
  /** Where relative paths start, and where the project is looked for. Default: the working directory. */
  readonly cwd?: string;
  /** Notable events, one line each. Default: nothing is logged. */
  readonly log?: (message: string) => void;
}

export interface SearchOptions {
  /** Most hits to return, 1–50. Default 5. */
  readonly top_k?: number;
  /** `next_cursor` of the last answer to this query and these filters. */
  readonly cursor?: string;
  readonly filters?: {
    readonly sources?: readonly string[];
    readonly tags?: readonly string[];
    /** MCP tools that a skill needs. */
    readonly tools?: readonly string[];
    readonly has_scripts?: boolean;
  };
}

export interface Evidence {
  /** `file:first-last`: a file relative to the skill's folder, and its lines from 1. */
  readonly at: string;
  /** Its headings, outermost first. */
  readonly heading: string;
  readonly excerpt: string;
  /** Words of the query found there. */
  readonly terms: readonly string[];
}

export interface SearchHit {
  /** The shortest form that names one skill. */
  readonly id: string;
  /** 0–1, comparable within this answer. */
  readonly score: number;
  /** What it does and when to use it. */
  readonly line: string;
  /** What it needs, such as an account, a server or a tool. */
  readonly needs?: readonly string[] | undefined;
  /** Number of copies and near-copies. */
  readonly copies?: number | undefined;
  /** `file:lines` that match where the description does not. */
  readonly at?: string | undefined;
  readonly detail: {
    /** From 1, over all pages. */
    readonly rank: number;
    readonly full_id: string;
    readonly uri: string;
    readonly name: string;
    readonly source: string;
    readonly digest: string;
    readonly folder: string;
    readonly description: string;
    readonly evidence: readonly Evidence[];
    readonly allowed_tools: readonly string[];
    /** What each signal adds to the score. */
    readonly score_parts?: Readonly<Record<string, number>> | undefined;
    /** Ids of identical skills. */
    readonly same_as?: readonly string[] | undefined;
    /** Ids of near-identical skills. */
    readonly like?: readonly string[] | undefined;
    /** What it has over the next hit, `over`: by how much, and by which signals. */
    readonly lead?:
      | {
          readonly over: string;
          readonly margin: number;
          readonly by: readonly {
            readonly feature: string;
            readonly difference: number;
            readonly meaning: string;
          }[];
        }
      | undefined;
  };
}

export interface SearchResult {
  /** Whether a skill fits, in one sentence. */
  readonly verdict: string;
  /** No skill seems to fit: `fit` is below 0.2. */
  readonly weak: boolean;
  /** 0–1: that a skill fits; absent when browsing. */
  readonly fit?: number | undefined;
  /** Why the retrieval is limited. */
  readonly note?: string | undefined;
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** Ids of the skills behind these hits. */
  readonly also?: readonly string[] | undefined;
  readonly next_cursor?: string | undefined;
  /** How it was searched, among how many skills. */
  readonly search?:
    | {
        readonly query: string;
        readonly mode: 'hybrid' | 'lexical' | 'browse';
        readonly vectors: 'exact' | 'hnsw' | 'none';
        readonly model: string | null;
        readonly searched: number;
        readonly took_ms: number;
        /** The language of the query, where the catalog hardly has it, and those that it has. */
        readonly foreign?:
          | {
              readonly language: string;
              readonly share: number;
              readonly catalog: readonly { readonly language: string; readonly share: number }[];
            }
          | undefined;
      }
    | undefined;
}

export interface LoadOptions {
  /** A heading of the outline: only that part. */
  readonly section?: string;
  /** Cut the instructions here, 100–50,000. Default 8,000. */
  readonly max_tokens?: number;
  /** As searched: adds `start_reading_at`. */
  readonly query?: string;
  /** Replaces `$ARGUMENTS`, `$1`, `$2` … in the instructions. */
  readonly arguments?: string;
}

/** Arguments for the next call, which goes on where this text was cut. */
export type Continuation = Readonly<Record<string, unknown>>;

export interface LoadResult {
  readonly id: string;
  readonly uri: string;
  /** SHA-256 over all files of the skill. */
  readonly digest: string;
  /** Where its files are. */
  readonly folder: string;
  /** `file:lines` that match the query. */
  readonly start_reading_at?: readonly string[] | undefined;
  readonly allowed_tools?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  /** Named tools that no server here offers. */
  readonly uncovered?: readonly string[] | undefined;
  readonly instructions: string;
  /** The file that holds the instructions. */
  readonly file: string;
  /** Lines of that file, from 1. */
  readonly lines: readonly number[];
  readonly line_count: number;
  readonly truncated: boolean;
  readonly continue_with?: Continuation | undefined;
  /** Where the instructions are cut, or one section was asked for. */
  readonly outline?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly references?: readonly string[] | undefined;
  readonly scripts?: readonly string[] | undefined;
  readonly assets?: readonly string[] | undefined;
  /** Files that are not named above. */
  readonly unlisted?: number | undefined;
  readonly upstream_tools?: Readonly<Record<string, unknown>> | undefined;
}

export interface ReadOptions {
  /** `A-B`, both included; `A-` for the rest. */
  readonly lines?: string;
  /** Instead of lines: the section under this heading. */
  readonly heading?: string;
  /** Cut the text here, 100–50,000. Default 4,000. */
  readonly max_tokens?: number;
}

export type ReadResult =
  | {
      readonly kind: 'text';
      readonly path: string;
      readonly mime_type: string;
      readonly text: string;
      /** Lines of the file that the text holds, from 1. */
      readonly lines: readonly number[];
      readonly line_count: number;
      readonly truncated: boolean;
      readonly continue_with?: Continuation | undefined;
    }
  | {
      readonly kind: 'image';
      readonly path: string;
      readonly mime_type: string;
      /** Base64. */
      readonly data: string;
    };

export interface ListOptions {
  /** `next_cursor` of the last page. */
  readonly cursor?: string;
  /** Skills per page, 1–200. Default 50. */
  readonly limit?: number;
}

export interface ListResult {
  readonly total: number;
  readonly skills: readonly {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly uri: string;
    readonly source: string;
    readonly folder: string;
  }[];
  readonly next_cursor?: string | undefined;
}

/** A JSON Schema, as providers take it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a call of a tool gives back. Failures are results too: the text tells the model what to do. */
export interface ToolCallResult {
  /** For the model. */
  readonly text: string;
  /** For programs: the result, or `error` with its `code` and `message`. */
  readonly structured: Readonly<Record<string, unknown>>;
  readonly is_error: boolean;
}

/** The Vercel AI SDK: `generateText({ tools })`. */
export type AiSdkTools = Readonly<
  Record<
    string,
    {
      readonly description: string;
      readonly inputSchema: {
        readonly jsonSchema: JsonSchema;
        readonly validate: (
          value: unknown,
        ) =>
          | { readonly success: true; readonly value: unknown }
          | { readonly success: false; readonly error: Error };
        readonly '~standard': {
          readonly version: 1;
          readonly vendor: string;
          readonly validate: (
            value: unknown,
          ) => { readonly value: unknown } | { readonly issues: readonly { readonly message: string }[] };
        };
      };
      readonly execute: (input: unknown) => Promise<string>;
    }
  >
>;

/** OpenAI's Chat Completions, and the many servers that speak the same. */
export interface OpenAiTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
  };
}

/** OpenAI's Responses. */
export interface OpenAiResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly strict: false;
}

/** Anthropic's Messages. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema & { readonly type: 'object' };
}

/** LangChain: `model.bindTools(tools)`, or `tools.map((fields) => new DynamicStructuredTool(fields))` for an agent. */
export interface LangChainTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly func: (input: unknown) => Promise<string>;
  readonly invoke: (input: unknown) => Promise<string>;
}

export interface ToolsByFormat {
  readonly 'ai-sdk': AiSdkTools;
  readonly openai: readonly OpenAiTool[];
  readonly 'openai-responses': readonly OpenAiResponsesTool[];
  readonly anthropic: readonly AnthropicTool[];
  readonly langchain: readonly LangChainTool[];
}

export type ToolFormat = keyof ToolsByFormat;

/** An MCP server for one connection. */
export interface McpServerHandle {
  /** Serves a client at this transport of the MCP SDK, in both protocol eras. */
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
}

/** Who asks, for the rules of the policy. */
export interface Caller {
  readonly id: string;
  readonly scopes?: readonly string[];
}

export interface RequestHandlerOptions {
  /**
   * Says who sends a request; null refuses it with 401. Default: every caller is the user of this machine, so the program
   * decides who reaches the handler.
   */
  readonly callerOf?: (request: Request) => Caller | null | Promise<Caller | null>;
  /** Origins of web pages that may send requests. Default: those of this machine. */
  readonly allowedOrigins?: readonly string[];
}

/** Streamable HTTP, to mount at a path of a web server. */
export interface RequestHandler {
  /** For Hono, Deno, Bun, Next.js and others that hand over a `Request`. */
  fetch(request: Request): Promise<Response>;
  /**
   * For Express, Fastify and `node:http`. A body that was parsed before is taken from `request.body`, or from the third
   * argument.
   */
  node(request: object, response: object, parsedBody?: unknown): Promise<void>;
  close(): Promise<void>;
}

/** An open catalog of skills. Its methods reject with an `Error` that has a documented `code`. */
export interface Skillgate {
  /** Finds the skills for a task; an empty query browses. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** The instructions of a skill, by id, URI or name. */
  load(skill: string, options?: LoadOptions): Promise<LoadResult>;
  /** A file of a skill, whole or in part. */
  read(skill: string, path: string, options?: ReadOptions): Promise<ReadResult>;
  /** All skills by id, page by page. */
  list(options?: ListOptions): Promise<ListResult>;
  /** The tools of the MCP server, for a model that is called directly. */
  tools<Format extends ToolFormat>(format: Format): Promise<ToolsByFormat[Format]>;
  /** Calls one of these tools with the model's arguments, which may be JSON text. Wrong ones give a result that says so. */
  call(tool: string, args: unknown): Promise<ToolCallResult>;
  createMcpServer(): McpServerHandle;
  createRequestHandler(options?: RequestHandlerOptions): RequestHandler;
  /** Closes all files and threads. */
  close(): Promise<void>;
}
