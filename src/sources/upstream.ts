/** The port of other MCP servers: their tools, and their errors, each one sentence without secrets. Loads no client. */

import type { CallToolResult, Progress } from '@modelcontextprotocol/server';
import { CodedError } from '../base/errors.ts';

/**
 * - `UPSTREAM_UNREACHABLE`: there is no connection: the program does not start, the address does not answer.
 * - `UPSTREAM_FORGOT`: the server no longer knows the session; the request was not carried out.
 * - `UPSTREAM_GONE`: the connection ended before the answer. Whether the request was carried out is unknown.
 * - `UPSTREAM_SLOW`: no answer in time. Whether the request was carried out is unknown.
 * - `UPSTREAM_FLOOD`: it sent more than allowed: too long a message, endless pages, unsolicited messages.
 * - `UPSTREAM_ANSWER`: the answer violates the protocol.
 * - `UPSTREAM_REFUSED`: it answered with a JSON-RPC error; `data` has its code, message and data.
 */
export type UpstreamErrorCode =
  | 'UPSTREAM_UNREACHABLE'
  | 'UPSTREAM_FORGOT'
  | 'UPSTREAM_GONE'
  | 'UPSTREAM_SLOW'
  | 'UPSTREAM_FLOOD'
  | 'UPSTREAM_ANSWER'
  | 'UPSTREAM_REFUSED';

/** The server's own JSON-RPC error. */
type RpcError = { readonly code?: number; readonly message?: string; readonly data?: unknown };

export class UpstreamError extends CodedError<UpstreamErrorCode> {
  override readonly name = 'UpstreamError';
  declare readonly data: RpcError;

  constructor(code: UpstreamErrorCode, message: string, details: { data?: RpcError; cause?: unknown } = {}) {
    super(code, message, details);
  }
}

export type { CallToolResult };

/** As the server declares it: untrusted. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

export interface UpstreamCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The tools of one server. */
export interface UpstreamTools {
  /** In the server's order. If the server cannot be reached: the last list, else rejects with `UpstreamError`. */
  list(): Promise<readonly ListedTool[]>;
  /** Rejects with `UpstreamError`, or with the signal's reason. The result is not checked. */
  call(call: UpstreamCall): Promise<CallToolResult>;
}
