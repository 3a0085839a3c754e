/**
 * Streamable HTTP inside another web server, which decides what reaches it: as a function from `Request` to `Response`, and
 * for Node's request and response. Our own server (`http.ts`) has limits, routes and authentication; this has neither.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import type { Principal } from '../../gateway/policy/principal.ts';
import { answerRpcError, Refusal, send } from './answer.ts';
import { readBody } from './body.ts';
import { checkBody, webRequest } from './endpoint.ts';
import { isLoopback } from './loopback.ts';
import { DEFAULT_LIMITS } from './settings.ts';

interface WebHandlerOptions {
  /** Null refuses the request. Default: every caller is the local user. */
  readonly principalOf?: (request: Request) => Principal | null | Promise<Principal | null>;
  /** Origins of web pages that may send requests. Default: those of this machine. */
  readonly allowedOrigins?: readonly string[];
}

export interface WebHandler {
  fetch(request: Request): Promise<Response>;
  node(request: IncomingMessage, response: ServerResponse, parsedBody?: unknown): Promise<void>;
  close(): Promise<void>;
}

/** JSON-RPC's general server error. */
const SERVER_ERROR = -32_000;

export function webHandler(
  factory: McpServerFactory,
  { principalOf, allowedOrigins = [] }: WebHandlerOptions,
): WebHandler {
  const { maxBodyBytes, maxResponseBytes } = DEFAULT_LIMITS;
  const mcp = createMcpHandler(factory, { maxRequestBodySize: maxBodyBytes });
  const allowed = new Set(allowedOrigins.map((origin) => new URL(origin).origin));
  // Browsers name the page's origin, also that of a page whose name was rebound to this machine; other clients name none.
  const isAllowed = (origin: string | null) =>
    origin === null ||
    allowed.has(origin) ||
    (URL.canParse(origin) && isLoopback(inBrackets(new URL(origin).hostname)));
  const answer = async (request: Request, parsedBody?: unknown): Promise<Response> => {
    if (!isAllowed(request.headers.get('origin')))
      return refusal(403, 'Requests from pages of this origin are not allowed.');
    const principal = await principalOf?.(request);
    if (principal === null) return refusal(401, 'The caller is unknown.');
    return mcp.fetch(request, {
      ...(principal === undefined
        ? {}
        : {
            authInfo: {
              token: '',
              clientId: principal.id,
              scopes: [...principal.scopes],
              extra: { principal: { id: principal.id, scopes: [...principal.scopes] } },
            },
          }),
      parsedBody,
    });
  };
  return {
    fetch: (request) => answer(request),
    close: () => mcp.close(),
    async node(request, response, given) {
      const before = parsedBodyOf(request, given);
      const body =
        before === undefined
          ? await readBody(request, maxBodyBytes)
          : { text: JSON.stringify(before), json: before, bytes: 0 };
      if (body === null) {
        const message = `The request is larger than ${maxBodyBytes} bytes.`;
        return answerRpcError(response, 413, { code: SERVER_ERROR, message });
      }
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const web = webRequest(request, body, gone.signal);
      try {
        checkBody(body);
        await send(await answer(web, body.json), response, { maxBytes: maxResponseBytes });
      } catch (error) {
        if (!(error instanceof Refusal) || response.headersSent) throw error;
        answerRpcError(response, error.status, { code: error.code, message: error.message });
      }
    },
  };
}

const refusal = (status: number, message: string) =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: SERVER_ERROR, message } }, { status });

/** `[::1]` of a URL as the address. */
const inBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

/** What a framework parsed before. Express passes `next` as the third argument. */
function parsedBodyOf(request: IncomingMessage, given: unknown): unknown {
  if (given !== undefined && typeof given !== 'function') return given;
  return 'body' in request ? (request.body ?? undefined) : undefined;
}
