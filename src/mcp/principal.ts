/** Who asks, as the transport that authenticated the caller left it. What they may see is the gateway's policy. */

import type { McpRequestContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { LOCAL, type Principal } from '../gateway/principal.ts';

const schema = z.object({ id: z.string().min(1).max(1_000), scopes: z.array(z.string().min(1)).max(1_000) });

/**
 * `LOCAL` where nobody was authenticated: stdio, and HTTP on loopback without auth. Throws where somebody was and it is
 * not said who, or where they would pass for the person at this machine: such a request must not be answered.
 */
export function principalOf(authInfo: McpRequestContext['authInfo']): Principal {
  if (authInfo === undefined) return LOCAL;
  const given = authInfo.extra?.principal;
  if (given === LOCAL) return LOCAL;
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new Error('The caller was authenticated, but it is not said as whom.');
  if (parsed.data.id === LOCAL.id) throw new Error(`An authenticated caller cannot be called ${LOCAL.id}.`);
  return parsed.data;
}
