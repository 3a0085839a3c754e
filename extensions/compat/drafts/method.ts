/** A method of a draft: its parameters are checked as the SDK checks those of its own methods. */

import { ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { OlderHandlers } from '../../../src/mcp/older-methods.ts';

export const method =
  <Params>(
    name: string,
    schema: z.ZodType<Params>,
    handle: (params: Params, ctx: ServerContext) => Promise<Record<string, unknown>>,
  ): OlderHandlers['methods'][string] =>
  (params, ctx) => {
    const parsed = schema.safeParse(params);
    if (!parsed.success)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for ${name}: ${parsed.error}`);
    return handle(parsed.data, ctx);
  };
