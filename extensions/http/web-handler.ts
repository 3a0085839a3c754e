/**
 * Streamable HTTP inside another web server, which decides what reaches it: as a function from `Request` to `Response`, and
 * for Node's request and response. Our own server (`http.ts`) has limits, routes and authentication; this has neither.
 */

import { IncomingMessage, ServerResponse } from 'node:http';
import { type AuthInfo, createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import type { Caller, RequestHandler, RequestHandlerOptions } from '../../src/app/extension-api.ts';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { answerRpcError, Refusal, send } from './answer.ts';
import { readBody } from './body.ts';
import { checkBody, webRequest } from './endpoint.ts';
import { isLoopback } from './listen.ts';
import { DEFAULT_LIMITS } from './settings.ts';

const NODE_OBJECTS =
  "node() takes Node's own request and response. In Fastify these are request.raw and reply.raw.";
/** JSON-RPC's general server error. */
const SERVER_ERROR = -32_000;

export function webHandler(
  factory: McpServerFactory,
  { callerOf, allowedOrigins = [] }: RequestHandlerOptions,
): RequestHandler {
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
    const caller = await callerOf?.(request);
    if (caller === null) return refusal(401, 'The caller is unknown.');
    return mcp.fetch(request, { authInfo: caller && toAuthInfo(caller), parsedBody });
  };
  return {
    fetch: (request) => answer(request),
    close: () => mcp.close(),
    async node(request, response, given) {
      if (!(request instanceof IncomingMessage) || !(response instanceof ServerResponse))
        throw new GatewayError('REQUEST_INVALID', NODE_OBJECTS);
      const before = readParsedBody(request, given);
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

const toAuthInfo = ({ id, scopes = [] }: Caller): AuthInfo => ({
  token: '',
  clientId: id,
  scopes: [...scopes],
  extra: { principal: { id, scopes: [...scopes] } },
});

const refusal = (status: number, message: string) =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: SERVER_ERROR, message } }, { status });

/** `[::1]` of a URL as the address. */
const inBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

/** What a framework parsed before. Express passes `next` as the third argument. */
function readParsedBody(request: IncomingMessage, given: unknown): unknown {
  if (given !== undefined && typeof given !== 'function') return given;
  return 'body' in request ? (request.body ?? undefined) : undefined;
}
