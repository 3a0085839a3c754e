/**
 * Any body as a JSON-RPC message of either protocol era: the answer is one of the protocol, and never an internal error.
 */

import assert from 'node:assert/strict';
// First: bundled, the SDK uses it before it is ready.
import * as z from 'zod';
import { readRequestId, requestIdsIn } from '../../../extensions/http/body.ts';
import { bothEras } from '../../../extensions/http/eras.ts';
import { untilAborted } from '../../../src/base/timing.ts';
import { longPathIn } from '../../../src/mcp/request-params.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { fakeGateway, SKILLS } from '../../src/mcp/fake-gateway.ts';

assert.ok(z.lazy);

const INTERNAL_ERROR = -32_603;
const PATIENCE_MS = 200;
const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const logged: string[] = [];
const gateway = fakeGateway(SKILLS);
const mcp = bothEras(
  mcpServerFactory({ gateway: async () => gateway, version: '0', log: (message) => logged.push(message) }),
  {
    limits: { sessions: 4, sessionsPerPrincipal: 4, sessionIdleMs: 1_000, maxBodyBytes: 2 ** 20 },
    changes: undefined,
    onerror: (error) => logged.push(String(error)),
  },
);

const modernOf = (json: unknown): Record<string, string> => {
  const method = String((json as { method?: unknown } | null)?.method ?? '');
  const { name } = ((json as { params?: { name?: unknown } } | null)?.params ?? {}) as { name?: unknown };
  const plain = /^[\w/.-]+$/;
  return {
    'mcp-protocol-version': '2026-07-28',
    ...(plain.test(method) ? { 'mcp-method': method } : {}),
    ...(typeof name === 'string' && plain.test(name) ? { 'mcp-name': name } : {}),
  };
};

/** Null where it has not come by then. */
const orEnded = <Value>(value: Promise<Value>, ended: AbortSignal): Promise<Value | null> =>
  untilAborted(value, ended).catch((error: unknown) => {
    if (!ended.aborted) throw error;
    return null;
  });

export async function fuzz(data: Buffer): Promise<void> {
  const text = data.toString('utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {}
  longPathIn(json);
  requestIdsIn(json);
  readRequestId({ json });
  for (const headers of [ACCEPT, { ...ACCEPT, ...modernOf(json) }]) {
    const ended = new AbortController();
    // A batch that cancels its own request gets no answer; a server's time limit ends it, too late for a fuzzer.
    const patience = setTimeout(() => ended.abort(), PATIENCE_MS);
    const answer = await orEnded(
      mcp.fetch(new Request('http://localhost/', { method: 'POST', headers, body: text }), {
        authInfo: undefined,
        parsedBody: json,
        ended: ended.signal,
        onAsking: () => {},
      }),
      ended.signal,
    );
    // Subscriptions end with their connection only.
    const isStream = text.includes('subscriptions/listen');
    if (isStream) await answer?.body?.cancel();
    const body = isStream || answer === null ? '' : ((await orEnded(answer.text(), ended.signal)) ?? '');
    clearTimeout(patience);
    ended.abort();
    assert.ok(!body.includes(`"code":${INTERNAL_ERROR}`), `${text}\n${body}`);
    assert.ok((answer?.status ?? 0) < 500, `${text}\n${answer?.status}`);
  }
  assert.deepEqual(logged.splice(0), []);
}
