/**
 * use_tool: calls a tool of another MCP server and passes its result on unchanged. The gateway decides which calls are
 * allowed; the other server checks the arguments.
 */

import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { GatewayError, type ToolProgress } from '../../gateway/gateway.ts';
import { answered, type Tool, type ToolContext, withCachedJsonSchema } from '../tool.ts';
import { toolArguments } from './arguments.ts';

/** The effects are unknown, so hosts should ask their users as they do for any risky tool. */
const UNKNOWN_EFFECTS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;

const DESCRIPTIONS = {
  loaded: (loader: string) =>
    `Calls a tool of another MCP server that a loaded skill names. ${loader} gives its server, tool and input_schema; load the skill first. The result is the other server’s, unchanged.`,
  all: (loader: string) =>
    `Calls a tool of another MCP server. ${loader} gives server, tool and input_schema of those that a skill names. The result is the other server’s, unchanged.`,
} as const;

const inputSchemaFor = (loader: string) =>
  toolArguments({
    server: z.string().min(1, 'must name a server').describe(`As ${loader} gives it`),
    tool: z.string().min(1, 'must name a tool').describe(`As ${loader} gives it`),
    arguments: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('By the tool’s input_schema; {} if not given'),
  });

/** `gate` is fixed for the process, because the list of tools must not change. `loader`: the tool that loads a skill. */
export function useTool(gate: keyof typeof DESCRIPTIONS, loader = 'load_skill'): Tool {
  const input = withCachedJsonSchema(inputSchemaFor(loader));
  return {
    name: 'use_tool',
    register(server: McpServer, context: ToolContext) {
      const config = {
        title: 'Use a tool of another server',
        description: DESCRIPTIONS[gate](loader),
        inputSchema: input,
        annotations: UNKNOWN_EFFECTS,
      };
      server.registerTool('use_tool', config, (request, ctx) =>
        answered('use_tool', context, async () => {
          const gateway = await context.gateway(ctx);
          if (gateway.useTool === undefined)
            throw new GatewayError('TOOL_REFUSED', 'No tools of other servers are offered here.');
          const result = await gateway.useTool({
            ...request,
            signal: ctx.mcpReq.signal,
            onProgress: forwardProgress(ctx),
          });
          return withoutConnectionMeta(result);
        }),
      );
    },
  };
}

/** Forwards the other server's progress to the client; undefined if the client did not ask for progress. */
function forwardProgress({ mcpReq }: ServerContext): ((progress: ToolProgress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return ({ progress, total, message }) => {
    if (mcpReq.signal.aborted) return;
    const params = {
      progressToken,
      progress,
      total,
      message,
    };
    // If the client is gone, the call itself ends on its own.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** Drops the protocol's own metadata, which is about the connection to the other server; keeps the rest. */
function withoutConnectionMeta({ _meta, ...result }: CallToolResult): CallToolResult {
  const kept = Object.entries(_meta ?? {}).filter(([key]) => !key.startsWith('io.modelcontextprotocol/'));
  return kept.length === 0 ? result : { ...result, _meta: Object.fromEntries(kept) };
}
