/**
 * Sessions of the revisions up to 2025-11-25, whose servers ask and notify their clients on streams. A session belongs to
 * the principal that opened it, with exactly its scopes; for any other caller it does not exist. The SDK's transport
 * handles the messages. Newer revisions have no sessions.
 */

import { randomBytes } from 'node:crypto';
import {
  type AuthInfo,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { toPrincipal } from '../../src/mcp/principal.ts';
import { asksFor, cancelledIdsIn, requestIdsIn } from './body.ts';

/** How often idle sessions are looked for by default, ms. */
const SWEEP_MS = 10_000;
const ID_BYTES = 24;
/** JSON-RPC codes: the SDK's for an unknown session, a general server error, an internal error. */
const SESSION_UNKNOWN = -32_001;
const SERVER_ERROR = -32_000;
const INTERNAL_ERROR = -32_603;

export interface SessionLimits {
  /** Most sessions of all principals. */
  readonly sessions: number;
  readonly sessionsPerPrincipal: number;
  /** A session without an open request or stream ends after this time. */
  readonly sessionIdleMs: number;
}

interface Session {
  readonly id: string;
  readonly principal: string;
  /** The principal with its scopes. */
  readonly owner: string;
  readonly transport: AskingTransport;
  /** Calls that are not answered yet, by id. */
  readonly calls: Map<string | number, McpCall>;
  /** Calls that wait for an answer of the client, by the id of the question. */
  readonly asking: Map<string | number, McpCall>;
  /** Open requests and streams. */
  open: number;
  usedAt: number;
}

/** A request, authenticated and read. */
export interface McpCall {
  readonly authInfo: AuthInfo | undefined;
  /** Undefined if it is not JSON. */
  readonly parsedBody: unknown;
  /** Aborts when the exchange has ended: answered, disconnected or late. */
  readonly ended: AbortSignal;
  /** Called when the client's user is asked, with true, and when the answer has come. */
  readonly onAsking: (asking: boolean) => void;
}

/** Reports the questions that a call asks its client. */
class AskingTransport extends WebStandardStreamableHTTPServerTransport {
  onAsk?: (question: string | number, call: string | number) => void;

  override send(
    message: JSONRPCMessage,
    options: { readonly relatedRequestId?: string | number } = {},
  ): Promise<void> {
    const call = options.relatedRequestId;
    if (isJSONRPCRequest(message) && call !== undefined) this.onAsk?.(message.id, call);
    return super.send(message, options);
  }
}

interface SessionsOptions {
  readonly limits: SessionLimits;
  readonly onerror: (error: Error) => void;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
  /** How often idle sessions are looked for, ms. */
  readonly sweepMs?: number;
}

export class Sessions {
  readonly #factory: McpServerFactory;
  readonly #options: SessionsOptions;
  readonly #now: () => number;
  /** By id; those used longest ago first. */
  readonly #sessions = new Map<string, Session>();
  readonly #sweep: NodeJS.Timeout;

  constructor(factory: McpServerFactory, options: SessionsOptions) {
    this.#factory = factory;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#sweep = setInterval(() => this.#endIdle(), options.sweepMs ?? SWEEP_MS);
    this.#sweep.unref();
  }

  /** Answers a request of an older revision; undefined for one outside of a session, which opens none. */
  async serve(request: Request, call: McpCall): Promise<Response | undefined> {
    const id = request.headers.get('mcp-session-id');
    // In a batch too, which the SDK refuses here: outside of a session it would initialize.
    if (id === null && !asksFor(call.parsedBody, 'initialize')) return undefined;
    if (call.ended.aborted) return new Response(null, { status: 499 });
    const session = id === null ? await this.#opened(request, call) : this.#found(id, call);
    if (session instanceof Response) return session;
    const { authInfo, parsedBody } = call;
    const question = answeredBy(parsedBody);
    if (question !== undefined) {
      session.asking.get(question)?.onAsking(false);
      session.asking.delete(question);
    }
    const answer = await session.transport.handleRequest(request, {
      authInfo,
      parsedBody,
    });
    for (const cancelledId of cancelledIdsIn(parsedBody)) endCancelled(session, cancelledId);
    // The SDK refused to initialize.
    if (session.transport.sessionId === undefined) this.#end(session);
    return answer;
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const session of [...this.#sessions.values()]) this.#end(session);
  }

  #found(id: string, call: McpCall): Session | Response {
    const session = this.#sessions.get(id);
    if (session?.owner !== sessionOwner(call.authInfo))
      return refusal(
        404,
        SESSION_UNKNOWN,
        'There is no such session, or it has ended: send initialize again.',
      );
    this.#begin(session, call);
    return session;
  }

  async #opened(request: Request, call: McpCall): Promise<Session | Response> {
    const { authInfo } = call;
    const { id: principal } = toPrincipal(authInfo);
    if (!this.#makeRoom(principal))
      return refusal(
        503,
        SERVER_ERROR,
        'Too many sessions are open and in use. End one with DELETE, or try again later.',
      );
    const id = randomBytes(ID_BYTES).toString('base64url');
    const transport = new AskingTransport({ sessionIdGenerator: () => id });
    // Kept before anything is awaited, so that the limits count it.
    const session: Session = {
      id,
      principal,
      owner: sessionOwner(authInfo),
      transport,
      calls: new Map(),
      asking: new Map(),
      open: 0,
      usedAt: this.#now(),
    };
    transport.onAsk = (question, asking) => {
      const asked = session.calls.get(asking);
      if (asked === undefined) return;
      session.asking.set(question, asked);
      asked.onAsking(true);
    };
    this.#sessions.set(id, session);
    this.#begin(session, call);
    try {
      const server = await this.#factory({
        era: 'legacy',
        requestInfo: request,
        authInfo,
      });
      await server.connect(transport);
      const { onclose } = transport;
      transport.onclose = () => {
        this.#sessions.delete(id);
        onclose?.();
      };
      return session;
    } catch (error) {
      this.#end(session);
      this.#options.onerror(error instanceof Error ? error : new Error(String(error)));
      return refusal(500, INTERNAL_ERROR, 'Internal server error');
    }
  }

  /** Ends the oldest idle session where a limit is reached. False if all are in use. */
  #makeRoom(principal: string): boolean {
    const { limits } = this.#options;
    const all = [...this.#sessions.values()];
    const ofPrincipal = all.filter((session) => session.principal === principal);
    const isCrowded = ofPrincipal.length >= limits.sessionsPerPrincipal;
    if (!isCrowded && all.length < limits.sessions) return true;
    const oldest = (isCrowded ? ofPrincipal : all).find(({ open }) => open === 0);
    if (oldest !== undefined) this.#end(oldest);
    return oldest !== undefined;
  }

  /** Counts the exchange until it ends. A call whose exchange ends without an answer is cancelled. */
  #begin(session: Session, call: McpCall): void {
    const ids = requestIdsIn(call.parsedBody);
    session.open += 1;
    this.#used(session);
    for (const id of ids) session.calls.set(id, call);
    call.ended.addEventListener(
      'abort',
      () => {
        session.open -= 1;
        this.#used(session);
        for (const [question, asking] of session.asking) if (asking === call) session.asking.delete(question);
        for (const id of ids) {
          session.calls.delete(id);
          session.transport.onmessage?.(cancelled(id));
          session.transport.closeSSEStream(id);
          // Without an answer the SDK would keep the id as long as the session. It throws where there was one.
          session.transport.send({ jsonrpc: '2.0', id, error: GONE }).catch(() => {});
        }
      },
      { once: true },
    );
  }

  #used(session: Session): void {
    session.usedAt = this.#now();
    if (this.#sessions.delete(session.id)) this.#sessions.set(session.id, session);
  }

  #endIdle(): void {
    const before = this.#now() - this.#options.limits.sessionIdleMs;
    for (const session of [...this.#sessions.values()])
      if (session.open === 0 && session.usedAt <= before) this.#end(session);
  }

  #end(session: Session): void {
    this.#sessions.delete(session.id);
    // Also closes its server and its streams.
    session.transport.close().catch(() => {});
  }
}

/** A cancelled call gets no answer, so its stream would stay open: it ends, or, of a batch, ends when the others are answered. */
function endCancelled({ calls, transport }: Session, id: string | number): void {
  // Sending rejects where the call was answered before.
  if (Array.isArray(calls.get(id)?.parsedBody))
    transport.send({ jsonrpc: '2.0', id, error: CANCELLED }).catch(() => {});
  else transport.closeSSEStream(id);
}

const CANCELLED = { code: SERVER_ERROR, message: 'The client cancelled this call.' };
const GONE = { code: SERVER_ERROR, message: 'The connection of this call has ended.' };

const cancelled = (requestId: string | number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, reason: GONE.message },
});

/** A message that answers a question of the server. */
const reply = z.object({ id: z.union([z.string(), z.number()]), method: z.undefined().optional() });

const answeredBy = (body: unknown) => reply.safeParse(body).data?.id;

function sessionOwner(authInfo: AuthInfo | undefined): string {
  const { id, scopes } = toPrincipal(authInfo);
  return JSON.stringify([id, [...scopes].sort()]);
}

const refusal = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
