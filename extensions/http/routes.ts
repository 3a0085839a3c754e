/** Routes by path: MCP, probes and metrics for operators, OAuth metadata for clients. */

import type { ChangeStatus, Metrics, Page } from '../../src/app/extension-api.ts';
import type { Admission } from './admission.ts';
import { answerJson, answerRpcError, type Headers } from './answer.ts';
import type { AuthSettings } from './auth/authenticate.ts';
import type { Exchange } from './exchange.ts';
import { PREFLIGHT } from './guard.ts';
import { HEALTH_PATH, MCP_PATH, READY_PATH } from './settings.ts';

/** RFC 9728, section 3: at the root, also followed by the resource's path. */
const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
/** Scope for reading the metrics, which show how busy other callers are. */
const METRICS_SCOPE = 'metrics';
/** What the protocol's revisions use. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'OPTIONS']);
/** Retry-After while the server is not ready or shutting down, s. */
const RETRY_S = 5;
const ENDING = `The server is shutting down. Try again in ${RETRY_S} s.`;

export interface Routes {
  readonly admission: Admission;
  readonly settings: AuthSettings;
  /** The public URL of the MCP endpoint. */
  readonly resource: () => URL;
  readonly metrics: Metrics | null;
  /** Why the server is not ready; null if it is. */
  readonly notReady: () => string | null;
  /** Why no caller may be answered; null if callers may. */
  readonly refusal: () => string | null;
  readonly warning: () => string | null;
  readonly folderChanges: () => ChangeStatus | null;
  readonly isEnding: () => boolean;
  readonly pages: readonly Page[];
  /** `refusal`: why no caller may be answered; null if callers may. */
  readonly servePage: (exchange: Exchange, page: Page, refusal: string | null) => Promise<void>;
  readonly mcp: (exchange: Exchange, headers: Headers) => Promise<void>;
}

export async function route(exchange: Exchange, routes: Routes, headers: Headers): Promise<void> {
  const { request, response, path } = exchange;
  if (path === HEALTH_PATH) return answerJson(response, 200, { status: 'ok' });
  if (path === READY_PATH) return readiness(exchange, routes);
  if (path === '/metrics' && routes.metrics !== null) return metrics(exchange, routes, routes.metrics);
  if (path.startsWith(RESOURCE_METADATA) && routes.settings.oauth !== undefined)
    return resourceMetadata(exchange, routes, routes.settings.oauth);
  const refusal = routes.refusal();
  const page = routes.pages.find(
    (at) => path === at.path || path.startsWith(`${at.path}/`) || path === at.wellKnown,
  );
  if (page !== undefined) return routes.servePage(exchange, page, routes.isEnding() ? ENDING : refusal);
  if (path !== MCP_PATH) return answerJson(response, 404, { error: `MCP is at ${MCP_PATH}.` });
  if (request.method === 'OPTIONS' && 'access-control-allow-origin' in headers) {
    response.writeHead(204, { ...headers, ...PREFLIGHT });
    response.end();
    return;
  }
  if (!METHODS.has(request.method ?? '')) {
    exchange.rejected('method');
    const allow = { ...headers, allow: [...METHODS].join(', '), connection: 'close' };
    return answerRpcError(response, 405, { code: -32_000, message: 'Method not allowed.' }, allow);
  }
  if (routes.isEnding()) return refuse(exchange, headers, 'ending', ENDING);
  if (refusal !== null) return refuse(exchange, headers, 'rights', refusal);
  await routes.mcp(exchange, headers);
}

function refuse(exchange: Exchange, headers: Headers, reason: 'ending' | 'rights', message: string): void {
  exchange.rejected(reason);
  const later = { ...headers, 'retry-after': String(RETRY_S), connection: 'close' };
  answerRpcError(exchange.response, 503, { code: -32_000, message }, later);
}

function readiness({ response }: Exchange, { notReady, warning, folderChanges }: Routes): void {
  const reason = notReady();
  const warned = warning();
  const status = folderChanges();
  if (reason === null)
    answerJson(response, 200, {
      status: 'ready',
      ...(warned !== null && { warning: warned }),
      ...(status !== null && { changes: shown(status) }),
    });
  else answerJson(response, 503, { status: 'not ready', reason }, { 'retry-after': String(RETRY_S) });
}

const shown = ({ seen, committed, pending, pendingMs }: ChangeStatus) => ({
  seen,
  committed,
  pending,
  pending_seconds: Math.round(pendingMs / 100) / 10,
});

/** Without authentication every caller may read them: only this machine can reach the server then. */
async function metrics(exchange: Exchange, { admission }: Routes, from: Metrics): Promise<void> {
  if ((await admission.admit(exchange, {}, { scopes: [METRICS_SCOPE] })) === null) return;
  const { response } = exchange;
  const text = await from.text();
  response.writeHead(200, { 'content-type': from.contentType, 'cache-control': 'no-store' });
  response.end(text);
}

function resourceMetadata(
  { response, path }: Exchange,
  { resource }: Routes,
  oauth: NonNullable<AuthSettings['oauth']>,
): void {
  const url = resource();
  const suffix = path.slice(RESOURCE_METADATA.length);
  if (!['', MCP_PATH, url.pathname].includes(suffix)) {
    answerJson(response, 404, { error: `The protected resource is ${url.href}.` });
    return;
  }
  const metadata = {
    resource: url.href,
    authorization_servers: [oauth.issuer],
    ...(oauth.requiredScopes.length === 0 ? {} : { scopes_supported: oauth.requiredScopes }),
    bearer_methods_supported: ['header'],
    resource_name: 'skillgate',
  };
  // Public metadata: clients in browsers may read it too.
  answerJson(response, 200, metadata, { 'access-control-allow-origin': '*' });
}
