/** Calls of a profile's tools under the name that its clients know the server by: `skill-engine/execute` is `execute`. */

import type { McpServer } from '@modelcontextprotocol/server';
import { isRecord } from '../base/json.ts';

/** Changes the handlers that are registered from now on. The list of tools keeps the short names. */
export function acceptPrefix({ server }: Pick<McpServer, 'server'>, prefix: string): void {
  const register = server.setRequestHandler.bind(server) as (...given: unknown[]) => void;
  const accepting = (method: string, ...given: unknown[]) => {
    const handler = given.pop() as (request: unknown, ...more: unknown[]) => unknown;
    register(method, ...given, (request: unknown, ...more: unknown[]) =>
      handler(method === 'tools/call' ? withoutPrefix(request, prefix) : request, ...more),
    );
  };
  // The overloads differ in what a handler is given, which is passed on as it is.
  server.setRequestHandler = accepting as typeof server.setRequestHandler;
}

function withoutPrefix(request: unknown, prefix: string): unknown {
  if (!isRecord(request) || !isRecord(request.params)) return request;
  const { name } = request.params;
  if (typeof name !== 'string' || !name.startsWith(prefix)) return request;
  return { ...request, params: { ...request.params, name: name.slice(prefix.length) } };
}
