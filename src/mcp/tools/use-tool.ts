/**
 * use_tool: calls a tool of another MCP server, and passes on what it answers as it is. Which calls are allowed is the
 * gateway's affair; whether arguments are right is the other server's.
 */

import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { GatewayError, type ToolProgress } from '../../gateway/gateway.ts';
import { failureOf } from '../errors.ts';
import { convertedOnce, type Tool, type ToolContext } from '../tool.ts';
import { asJson, toolArguments } from './arguments.ts';

/** Nothing is known of what the other server does: what hosts ask people about, they shall ask about here. */
const UNKNOWN_EFFECTS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;

const DESCRIPTIONS = {
  loaded:
    'Calls a tool of another MCP server that a loaded skill names. load_skill gives its server, tool and input_schema; load the skill first. The result is the other server’s, as it is.',
  all: 'Calls a tool of another MCP server. load_skill gives server, tool and input_schema of those that a skill names. The result is the other server’s, as it is.',
} as const;

const inputSchema = toolArguments(
  {
    server: z.string().min(1, 'must name a server').describe('As load_skill gives it'),
    tool: z.string().min(1, 'must name a tool').describe('As load_skill gives it'),
    arguments: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('By the tool’s input_schema; {} if not given'),
  },
  { arguments: asJson },
);

/** `gate` is the same for the whole process, and so is the list of tools. */
export function useTool(gate: keyof typeof DESCRIPTIONS): Tool {
  const input = convertedOnce(inputSchema);
  return {
    name: 'use_tool',
    register(server: McpServer, context: ToolContext) {
      const config = {
        title: 'Use a tool of another server',
        description: DESCRIPTIONS[gate],
        inputSchema: input,
        annotations: UNKNOWN_EFFECTS,
      };
      server.registerTool('use_tool', config, async (request, ctx): Promise<CallToolResult> => {
        try {
          const gateway = await context.gateway();
          if (gateway.useTool === undefined)
            throw new GatewayError('TOOL_REFUSED', 'No tools of other servers are offered here.');
          const result = await gateway.useTool({
            ...request,
            signal: ctx.mcpReq.signal,
            onProgress: passOn(ctx),
          });
          return withoutHop(result);
        } catch (error) {
          return failureOf(error, (message) => context.log(`use_tool: ${message}`));
        }
      });
    },
  };
}

/** Tells the client what the other server tells; undefined where the client did not ask. */
function passOn({ mcpReq }: ServerContext): ((progress: ToolProgress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return ({ progress, total, message }) => {
    if (mcpReq.signal.aborted) return;
    const params = {
      progressToken,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    };
    // A client that is gone misses it: the call itself ends by its own way.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** The protocol's own metadata is about the connection to the other server; the rest goes along. */
function withoutHop({ _meta, ...result }: CallToolResult): CallToolResult {
  const kept = Object.entries(_meta ?? {}).filter(([key]) => !key.startsWith('io.modelcontextprotocol/'));
  return kept.length === 0 ? result : { ...result, _meta: Object.fromEntries(kept) };
}
