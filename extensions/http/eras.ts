/**
 * Both protocol eras on one path: 2026-07-28 one request at a time, older revisions in sessions. A request of an older
 * revision outside of a session gets an answer of its own, but nothing can be asked or notified there.
 */

import { createMcpHandler, isLegacyRequest, type McpServerFactory } from '@modelcontextprotocol/server';
import type { ChangeBus } from '../../src/app/extension-api.ts';
import { type McpCall, type SessionLimits, Sessions } from './sessions.ts';

export interface Mcp {
  fetch(request: Request, call: McpCall): Promise<Response>;
  close(): Promise<void>;
}

interface McpOptions {
  readonly limits: SessionLimits & { readonly maxBodyBytes: number };
  readonly changes: ChangeBus | undefined;
  readonly onerror: (error: Error) => void;
}

export function bothEras(factory: McpServerFactory, { limits, changes, onerror }: McpOptions): Mcp {
  const maxRequestBodySize = limits.maxBodyBytes;
  const sessions = new Sessions(factory, { limits, onerror });
  // No `onerror`: the SDK would also report every request that it refuses, and the client already gets these errors.
  const handler = createMcpHandler(factory, {
    maxRequestBodySize,
    bus: changes,
  });
  return {
    async fetch(request, call) {
      const isLegacy = await isLegacyRequest(request, call.parsedBody, { maxRequestBodySize });
      const answer = isLegacy ? await sessions.serve(request, call) : undefined;
      if (answer !== undefined) return answer;
      const { authInfo, parsedBody } = call;
      return handler.fetch(request, {
        authInfo,
        parsedBody,
      });
    },
    async close() {
      sessions.close();
      await handler.close();
    },
  };
}
