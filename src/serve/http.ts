/** The port between a server and its HTTP transport: what the transport gets of the rest. Types alone. */

import type { IncomingHttpHeaders } from 'node:http';
import type { ChangeStatus } from '../catalog/schedule.ts';
import type { Principal } from '../gateway/policy/principal.ts';
import type { ChangeBus } from '../mcp/changes.ts';
import type { Access } from './telemetry/audit.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Traces } from './telemetry/traces.ts';

export interface HttpFlags {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

/** What the transport gets of the server. */
export interface HttpServing {
  /** Writes one line for the operator, on stderr. */
  readonly log: (message: string) => void;
  /** In place of the configured file. */
  readonly tokens?: TokenStore | undefined;
  /** Counts for the rate limits. Default: in this process. */
  readonly counter?: ((prefix: string, windowMs: number) => Counter) | undefined;
  /** The limit of a principal for whom another one holds. */
  readonly callsPerMinuteOf?: (principal: Principal) => number | undefined;
  /** Why the server is not ready, as a fixed sentence; null if it is. Default: ready. */
  readonly notReady?: () => string | null;
  /** Why no caller may be answered, as a sentence; null if callers may. The server is then not ready either. */
  readonly refusal?: (() => string | null) | undefined;
  /** What is wrong although the server is ready, as a sentence; null if nothing is. Default: nothing. */
  readonly warning?: () => string | null;
  /** Changes of the folders, for `/readyz`; null where others see them. */
  readonly folderChanges?: () => ChangeStatus | null;
  /** What is also served. Default: nothing. */
  readonly pages?: readonly Page[];
  readonly metrics?: Metrics | null;
  readonly traces?: Traces | null;
  readonly onAccess?: (entry: Access) => void;
  /** Called once requests are answered, with the URL of the MCP endpoint and its actual port. */
  readonly onListening?: (url: string) => void;
  /** Called at the signal to end, before open requests are answered. */
  readonly onEnding?: () => void;
  /** Notifies subscribers of changes. */
  readonly changes?: ChangeBus;
}

/** Sums by key over a minute: in this process, or shared by several gateways. */
export interface Counter {
  get(key: string): Promise<Counted | null>;
  penalty(key: string, points: number): Promise<Counted>;
}

interface Counted {
  readonly consumedPoints: number;
  readonly msBeforeNext: number;
}

/** Where tokens are kept: a file, or a database that several gateways share. */
export interface TokenStore {
  /** Where, for messages. */
  readonly name: string;
  /** When running servers follow a change, for messages. */
  readonly followed: string;
  /** Differs after each change. */
  version(): Promise<string>;
  /** In order of creation. */
  read(): Promise<readonly TokenRecord[]>;
  /** Replaces the tokens by `change(tokens)`; of several changes at once, each sees the one before. */
  change(change: (tokens: readonly TokenRecord[]) => readonly TokenRecord[]): Promise<void>;
}

/** Times in ISO 8601. */
export interface TokenRecord {
  readonly name: string;
  /** SHA-256 of the token, hexadecimal. */
  readonly hash: string;
  readonly scopes: readonly string[];
  readonly created: string;
  /** Null if it never expires. */
  readonly expires: string | null;
  /** When it was revoked; null if it was not. */
  readonly revoked: string | null;
}

/** An HTTP answer, whole. */
export interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** What a page knows of a request, other than its body. */
export interface Wanted {
  readonly headers: IncomingHttpHeaders;
  /** The public URL of the MCP endpoint. */
  readonly endpoint: URL;
}

/** Files for any caller, and answers for each principal: the page of `skillgate explore`, or an interface of its own. */
export interface Page {
  /** Where it begins, such as `/explore`; answers are below `<path>/api/`. */
  readonly path: string;
  /** The path of a file elsewhere. */
  readonly wellKnown?: string;
  /** For every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a server that is asked to end waits for its answers. */
  readonly isAwaited?: boolean;
  /** By its whole path. Null where there is none. */
  file(path: string, wanted: Wanted): Sent | null;
  /** How many calls a request counts for, from 1. */
  callsOf(request: unknown): number;
  /** `request` is the body, or the query of a GET. Never rejects. */
  answer(name: string, request: unknown, principal: Principal, wanted: Wanted): Promise<Sent>;
  /** The body of an answer that refuses a request. */
  refusal(status: number, message: string): object;
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
