/**
 * What a tool is: a declared unit that a server can be given. Here arguments meet their schema, the gateway is waited
 * for, and every failure becomes a result. What a tool does is in `tools/`; what failures say is in `errors.ts`.
 */

import type {
  CallToolResult,
  ContentBlock,
  McpServer,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Gateway } from '../gateway/gateway.ts';
import { failureOf, failureSchema, notReady } from './errors.ts';
import type { Guide } from './instructions.ts';
import type { Log } from './log.ts';
import { type OnIndexing, tellProgress } from './progress.ts';

/** What every tool needs of the server it stands in. */
export interface ToolContext {
  /** Opens the gateway, or gives the one that is open. Called by each call of a tool. */
  readonly gateway: () => Promise<Gateway>;
  readonly guide: Guide;
  readonly log: Log;
  /** How long a call may take, ms; only the making of an index takes that long. */
  readonly patienceMs: number;
  readonly onIndexing: OnIndexing | undefined;
  readonly onCall: ((call: ToolCall) => void) | undefined;
}

/** A call that has been answered. */
export interface ToolCall {
  readonly tool: string;
  /** `ok`, or the failure's code. */
  readonly outcome: string;
  /** Wall time, ms. */
  readonly ms: number;
}

/** The same facts twice: `structured` for programs, `content` for models. */
export interface Answer<Result> {
  readonly structured: Result;
  readonly content: readonly ContentBlock[];
}

export interface ToolDeclaration<Arguments, Result extends object> {
  readonly name: string;
  readonly title: string;
  /** When to call it and how to go on; a function where it names what the catalog holds. */
  readonly description: string | ((guide: Guide) => string);
  readonly input: z.ZodType<Arguments>;
  /** What a call yields where it does not fail; the tool's output schema adds the failure. */
  readonly result: z.ZodType<Result>;
  handle(args: Arguments, gateway: Gateway): Promise<Answer<NoInfer<Result>>>;
}

export interface Tool {
  readonly name: string;
  register(server: McpServer, context: ToolContext): void;
}

/** Every tool only reads, and reads the same until the catalog changes; nothing outside the catalog is touched. */
const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

export function declareTool<Arguments, Result extends object>(
  declaration: ToolDeclaration<Arguments, Result>,
): Tool {
  const { name, title, description, handle } = declaration;
  const inputSchema = convertedOnce<Arguments>(declaration.input);
  // Clients of the older SDK check the structured content of failures too, so failures are in the schema.
  const outputSchema = convertedOnce(z.union([declaration.result, failureSchema]));
  return {
    name,
    register(server, context) {
      const text = typeof description === 'string' ? description : description(context.guide);
      const config = { title, description: text, inputSchema, outputSchema, annotations: READ_ONLY };
      server.registerTool(name, config, async (args, ctx): Promise<CallToolResult> => {
        const untell = tellProgress(context.onIndexing, ctx);
        const start = performance.now();
        let outcome = 'ok';
        try {
          const call = context.gateway().then((gateway) => handle(args, gateway));
          const answer = await within(context.patienceMs, call);
          return { content: [...answer.content], structuredContent: { ...answer.structured } };
        } catch (error) {
          const failure = failureOf(error, (message) => context.log(`${name}: ${message}`));
          outcome = failureSchema.parse(failure.structuredContent).error.code;
          return failure;
        } finally {
          untell();
          context.onCall?.({ tool: name, outcome, ms: performance.now() - start });
        }
      });
    },
  };
}

/** The answer, or a failure that says to come back, where it takes longer than a client waits. */
async function within<Result>(patienceMs: number, call: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(notReady()), patienceMs);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The schema with its JSON Schema remembered: servers are made for each connection, over HTTP for each request, and
 * converting costs more than most calls.
 */
export function convertedOnce<Output>(schema: z.ZodType<Output>): StandardSchemaWithJSON<unknown, Output> {
  const { jsonSchema, validate, vendor, version } = schema['~standard'];
  const made = new Map<string, Record<string, unknown>>();
  const convert = (io: 'input' | 'output'): typeof jsonSchema.input => {
    return (options) => {
      const key = `${io} ${options.target}`;
      const json = made.get(key) ?? jsonSchema[io](options);
      made.set(key, json);
      return json;
    };
  };
  return {
    '~standard': {
      validate,
      vendor,
      version,
      jsonSchema: { input: convert('input'), output: convert('output') },
    },
  };
}
