/** The caller, as the transport authenticated it. The gateway's policy decides what the caller may see. */

import type { McpRequestContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { LOCAL, type Principal } from '../gateway/policy/principal.ts';

const schema = z.object({ id: z.string().min(1).max(1_000), scopes: z.array(z.string().min(1)).max(1_000) });

/**
 * `LOCAL` for a connection without authentication: stdio, and HTTP on loopback. Throws if a caller was authenticated
 * but has no valid principal, or would pass for the local user: such a request must not be answered.
 */
export function toPrincipal(authInfo: McpRequestContext['authInfo']): Principal {
  if (authInfo === undefined) return LOCAL;
  const given = authInfo.extra?.principal;
  if (given === LOCAL) return LOCAL;
  const parsed = schema.safeParse(given);
  if (!parsed.success)
    throw new Error('The caller is authenticated, but its principal is missing or invalid.');
  if (parsed.data.id === LOCAL.id)
    throw new Error(`An authenticated caller must not have the id "${LOCAL.id}".`);
  return parsed.data;
}
