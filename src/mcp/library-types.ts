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
    readonly has_scripts?: boolean;
  };
  /** For a task with several parts: the fewest skills that together cover it. */
  readonly bundle?: boolean;
  /** Token budget for loading all skills of a bundle, 100–50,000. */
  readonly max_tokens?: number;
}

export interface Evidence {
  /** A file, relative to the skill's folder. */
  readonly path: string;
  /** Its headings, outermost first. */
  readonly heading?: string | undefined;
  /** First and last line, from 1. */
  readonly lines: readonly number[];
  readonly excerpt: string;
  /** Words of the query found there. */
  readonly terms: readonly string[];
}

export interface SkillCopy {
  readonly source: string;
  readonly id: string;
}

export interface SearchHit {
  readonly rank: number;
  readonly id: string;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** 0–1, comparable within this answer. */
  readonly score: number;
  readonly evidence: readonly Evidence[];
  /** MCP tools that its author names. */
  readonly tools?: readonly string[] | undefined;
  /** Tools that its author says it needs. */
  readonly allowed_tools?: readonly string[] | undefined;
  /** Other sources of the same skill. */
  readonly also_from?: readonly SkillCopy[] | undefined;
  /** Ids of near-identical skills. */
  readonly twins?: readonly string[] | undefined;
}

export interface SearchResult {
  readonly query: string;
  readonly retrieval: {
    readonly mode: 'hybrid' | 'lexical' | 'browse';
    readonly vectors: 'exact' | 'hnsw' | 'none';
    readonly model: string | null;
    /** Why the retrieval is limited. */
    readonly note?: string | undefined;
  };
  /** Skills that could have been found. */
  readonly searched: number;
  /** No skill seems to fit. */
  readonly weak: boolean;
  /** 0–1: that a skill fits; null when browsing. */
  readonly fit: number | null;
  /** 0–1: that the first hit is the right one. */
  readonly confidence: number | null;
  /** Best first. */
  readonly hits: readonly SearchHit[];
  readonly bundle?:
    | {
        readonly parts: readonly {
          readonly text: string;
          /** Rank of a hit. */
          readonly covered_by: number | null;
          /** No skill clearly fits this part. */
          readonly weak?: boolean | undefined;
        }[];
        /** For loading all hits. */
        readonly tokens: number;
        readonly max_tokens: number;
        /** Ids that did not fit `max_tokens`. */
        readonly left_out?: readonly string[] | undefined;
      }
    | undefined;
  readonly next_cursor?: string | undefined;
  /** What to do next. */
  readonly hint: string;
}

export interface LoadOptions {
  /** A heading of the outline: only that part. */
  readonly section?: string;
  /** Cut the instructions here, 100–50,000. Default 8,000. */
  readonly max_tokens?: number;
}

/** The call that reads the rest of a text that was cut. */
export interface Continuation {
  readonly tool: 'read_reference';
  readonly arguments: { readonly skill: string; readonly path: string; readonly lines: string };
}

export interface SkillFileSize {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

export interface LoadResult {
  readonly id: string;
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  /** SHA-256 over all files of the skill. */
  readonly digest: string;
  readonly also_from?: readonly SkillCopy[] | undefined;
  /** Where its files are. */
  readonly folder: string;
  readonly allowed_tools: readonly string[];
  readonly tools: readonly string[];
  /** What a scan found that looks like an attack: ask the user before following it. */
  readonly suspicious?:
    | readonly {
        readonly id: string;
        readonly path: string;
        readonly line: number;
        readonly excerpt: string;
      }[]
    | undefined;
  readonly instructions: string;
  /** The file that holds the instructions. */
  readonly file: string;
  /** Lines of that file, from 1. */
  readonly lines: readonly number[];
  readonly line_count: number;
  readonly truncated: boolean;
  readonly continue_with?: Continuation | undefined;
  readonly outline: readonly { readonly heading: string; readonly level: number; readonly line: number }[];
  readonly references: readonly SkillFileSize[];
  readonly scripts: readonly SkillFileSize[];
  readonly assets: readonly SkillFileSize[];
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
  readonly skills: readonly { readonly id: string; readonly name: string; readonly description: string }[];
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
