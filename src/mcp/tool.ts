/**
 * A tool as a declaration that can be registered with a server. This file checks arguments and results against their
 * schemas, waits for the gateway and turns every failure into a result. The tools are in `tools/`, the texts of failures
 * in `errors.ts`.
 */

import {
  type CallToolResult,
  type ContentBlock,
  type InputRequiredResult,
  isInputRequiredResult,
  type McpServer,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { isRecord } from '../base/json.ts';
import { withTimeout } from '../base/timing.ts';
import { type Gateway, GatewayError } from '../gateway/gateway.ts';
import { type Advice, failureSchema, type Log, notReady, type OpenFor, toFailure } from './errors.ts';
import type { Guide } from './instructions.ts';
import { type OnIndexing, reportProgress } from './progress.ts';

/** What a tool needs from its server. */
export interface ToolContext {
  /** The gateway for a request, opened on the first call. */
  readonly gateway: OpenFor<Gateway>;
  readonly guide: Guide;
  /** What to do after a failure, where the profile's tools differ from the default ones. */
  readonly advice: Partial<Advice> | undefined;
  readonly log: Log;
  /** How long a call may take, ms; only indexing takes that long. */
  readonly timeoutMs: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly onIndexing: OnIndexing | undefined;
  readonly onCall: ((call: ToolCall) => void) | undefined;
  readonly answers: Answers;
}

/** `text`: only content for models, without structured content and output schemas; `both`: with them. */
export type Answers = 'text' | 'both';

/** An answered call. */
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

interface ToolDeclaration<Arguments, Result extends object> {
  readonly name: string;
  readonly title: string;
  /** When to call it and what to do next; a function if it names the catalog's themes. */
  readonly description: string | ((guide: Guide) => string);
  readonly input: z.ZodType<Arguments>;
  /** The result of a successful call; the tool's output schema adds the failure. */
  readonly result: z.ZodType<Result>;
  /** Marks for hosts. */
  readonly meta?: Readonly<Record<string, unknown>>;
  handle(args: Arguments, gateway: Gateway): Promise<Answer<NoInfer<Result>>>;
}

export interface Tool {
  readonly name: string;
  register(server: McpServer, context: ToolContext): void;
}

/** A tool that needs no client: programs call it directly, too. */
export interface DeclaredTool<Arguments> extends Tool {
  describe(guide: Guide): string;
  /** JSON Schema (draft 7) of the arguments. */
  parameters(): Readonly<Record<string, unknown>> & { readonly type: 'object' };
  /** Throws `REQUEST_INVALID` for arguments that do not fit the schema. */
  parse(args: unknown): Arguments;
  /** Never rejects: failures are results. */
  call(args: unknown, gateway: Gateway, log: Log): Promise<CallToolResult>;
}

/** Every declared tool only reads the catalog, and repeating a call changes nothing. */
const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

export function declareTool<Arguments, Result extends object>(
  declaration: ToolDeclaration<Arguments, Result>,
): DeclaredTool<Arguments> {
  const { name, title, description, meta, handle } = declaration;
  const inputSchema = withCachedJsonSchema<Arguments>(declaration.input);
  // Clients with the older SDK also validate the structured content of failures, so the schema includes them.
  const outputSchema = withCachedJsonSchema(z.union([declaration.result, failureSchema]));
  const describe = (guide: Guide) => (typeof description === 'string' ? description : description(guide));
  const parse = (args: unknown) => parseArguments(name, declaration.input, args);
  return {
    name,
    describe,
    parse,
    parameters() {
      const { $schema: _, ...schema } = inputSchema['~standard'].jsonSchema.input({ target: 'draft-07' });
      return { ...schema, type: 'object' };
    },
    async call(args, gateway, log) {
      try {
        const { content, structured } = await handle(parse(args), gateway);
        return { content: [...content], structuredContent: { ...structured } };
      } catch (error) {
        return toFailure(error, (message) => log(`${name}: ${message}`));
      }
    },
    register(server, context) {
      const config = {
        title,
        description: describe(context.guide),
        inputSchema,
        ...(context.answers === 'both' && { outputSchema }),
        annotations: READ_ONLY,
        _meta: meta,
      };
      server.registerTool(name, config, async (args, ctx): Promise<CallToolResult> => {
        const stopProgress = reportProgress(context.onIndexing, ctx);
        const answer = answered(name, context, async () => {
          const call = context.gateway(ctx).then((gateway) => handle(args, gateway));
          const { content, structured } = await withTimeout(call, context.timeoutMs, () => {
            throw notReady();
          });
          return inForm(context.answers, { content: [...content], structuredContent: { ...structured } });
        });
        return answer.finally(stopProgress);
      });
    },
  };
}

/** Throws `REQUEST_INVALID`. */
function parseArguments<Arguments>(tool: string, input: z.ZodType<Arguments>, args: unknown): Arguments {
  const parsed = input.safeParse(args);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')} ${message}`,
  );
  throw new GatewayError('REQUEST_INVALID', `${tool}: ${problems.join('; ')}.`);
}

/** The result of a call: a failure becomes a result as well. Tells `onCall` of it, unless it only asks for more input. */
export async function answered<Result extends CallToolResult | InputRequiredResult>(
  tool: string,
  context: ToolContext,
  work: () => Promise<Result>,
): Promise<Result | CallToolResult> {
  const start = context.now();
  const ended = (outcome: string) => context.onCall?.({ tool, outcome, ms: context.now() - start });
  try {
    const result = await work();
    if (!isInputRequiredResult(result)) ended('ok');
    return result;
  } catch (error) {
    const failure = toFailure(error, (message) => context.log(`${tool}: ${message}`), context.advice);
    ended(failureSchema.parse(failure.structuredContent).error.code);
    return inForm(context.answers, failure);
  }
}

/** The result as the server's clients are to see it. */
export function inForm(answers: Answers, result: CallToolResult): CallToolResult {
  if (answers === 'both') return result;
  const { content, isError } = result;
  return { content, ...(isError === true && { isError }) };
}

/**
 * The schema with its JSON Schema cached: over HTTP a server is created for each request, and converting costs more than
 * most calls.
 */
export function withCachedJsonSchema<Output>(
  schema: z.ZodType<Output>,
): StandardSchemaWithJSON<unknown, Output> {
  const { jsonSchema, validate, vendor, version } = schema['~standard'];
  const converted = new Map<string, Record<string, unknown>>();
  const convert = (io: 'input' | 'output'): typeof jsonSchema.input => {
    return (options) => {
      const key = `${io} ${options.target}`;
      const json = converted.get(key) ?? compact(jsonSchema[io](options), io);
      converted.set(key, json);
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

/**
 * The list of tools is part of every conversation, so schemas leave out what says little: the dialect, which is the
 * protocol's default, and in results that no other fields follow.
 */
function compact({ $schema: _, ...schema }: Record<string, unknown>, io: 'input' | 'output') {
  return io === 'input' ? schema : withoutClosing(schema);
}

function withoutClosing(schema: Record<string, unknown>): Record<string, unknown> {
  const { additionalProperties: _, properties, ...rest } = schema;
  const fields = isRecord(properties) && Object.keys(properties).length > 0 ? { properties } : {};
  return Object.fromEntries(
    Object.entries({ ...rest, ...fields }).map(([key, value]) => [key, inside(value)]),
  );
}

function inside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inside);
  return isRecord(value) ? withoutClosing(value) : value;
}
