/**
 * The search-first tools without a protocol: for programs that call a model themselves (`agentTools`, `callAgentTool`), and
 * as functions (`programCalls`).
 */

import { errorMessage } from '../base/errors.ts';
import { quote } from '../base/text.ts';
import { type Gateway, GatewayError } from '../gateway/gateway.ts';
import { type Log, toFailure } from './errors.ts';
import { writeGuide } from './instructions.ts';
import { listResult, listSkills } from './tools/list-skills.ts';
import { loadFrom, loadSkill } from './tools/load-skill.ts';
import { type ReadResult, readFrom, readReference, readResult } from './tools/read-reference.ts';
import { searchSkills, searchWhole } from './tools/search-skills.ts';

/** A JSON Schema, as providers take it. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** What a call of a tool gives back. Failures are results too: the text tells the model what to do. */
export interface ToolCallResult {
  /** For the model. */
  readonly text: string;
  /** For programs: the result, or `error` with its `code` and `message`. */
  readonly structured: Readonly<Record<string, unknown>>;
  readonly is_error: boolean;
}

export interface AgentTool {
  readonly name: string;
  /** Names the themes of the catalog. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonSchema & { readonly type: 'object' };
  /** Never rejects. */
  call(args: unknown): Promise<ToolCallResult>;
  /** Throws `REQUEST_INVALID` for arguments that do not fit the schema. */
  check(args: unknown): void;
}

const TOOLS = [searchSkills, loadSkill, readReference, listSkills] as const;
type AnyTool = (typeof TOOLS)[number];

export async function agentTools(gateway: Gateway, log: Log): Promise<readonly AgentTool[]> {
  const guide = writeGuide(await gateway.summary());
  return TOOLS.map((tool) => ({
    name: tool.name,
    description: tool.describe(guide),
    parameters: tool.parameters(),
    check: (args) => void tool.parse(parsed(tool.name, args)),
    call: (args) => called(tool, args, gateway, log),
  }));
}

/** Calls the tool of this name. Rejects only where the gateway cannot be opened. */
export async function callAgentTool(
  name: string,
  args: unknown,
  gateway: Gateway,
  log: Log,
): Promise<ToolCallResult> {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool !== undefined) return called(tool, args, gateway, log);
  const names = TOOLS.map((each) => each.name).join(', ');
  const message = `There is no tool ${quote(name)}: call one of ${names}.`;
  return toCallResult(toFailure(new GatewayError('REQUEST_INVALID', message), log));
}

async function called(tool: AnyTool, args: unknown, gateway: Gateway, log: Log): Promise<ToolCallResult> {
  try {
    return toCallResult(await tool.call(parsed(tool.name, args), gateway, log));
  } catch (error) {
    return toCallResult(toFailure(error, log));
  }
}

function toCallResult({
  content,
  structuredContent = {},
  isError = false,
}: Awaited<ReturnType<AnyTool['call']>>): ToolCallResult {
  const texts = content.flatMap((block) => (block.type === 'text' ? block.text : []));
  return { text: texts.join('\n'), structured: Object.assign({}, structuredContent), is_error: isError };
}

/** Some providers hand arguments over as JSON text. Throws `REQUEST_INVALID` for other text. */
function parsed(tool: string, args: unknown): unknown {
  if (args === undefined || args === null || args === '') return {};
  if (typeof args !== 'string') return args;
  try {
    return JSON.parse(args);
  } catch (cause) {
    const message = `${tool}: The arguments are not JSON (${errorMessage(cause)}). Pass an object, or its JSON text.`;
    throw new GatewayError('REQUEST_INVALID', message, { cause });
  }
}

/** The tools' results as values, nothing of them cut for a model. Arguments are checked as a client's are. */
export const programCalls = {
  search: (args: unknown, gateway: Gateway) => searchWhole(searchSkills.parse(args), gateway),

  load: (args: unknown, gateway: Gateway) => loadFrom(loadSkill.parse(args), gateway),

  async read(args: unknown, gateway: Gateway): Promise<ReadResult> {
    const request = readReference.parse(args);
    return readResult(request.skill, await readFrom(request, gateway));
  },

  async list(args: unknown, gateway: Gateway) {
    const { cursor, limit } = listSkills.parse(args);
    return listResult(await gateway.list({ limit, cursor }));
  },
};

/** Marks a schema object of the Vercel AI SDK, which it registers globally. */
const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema');

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

/** The tools in the forms that model providers and frameworks take: plain objects and functions, without their packages. */
export const AGENT_FORMATS = {
  'ai-sdk': (tools: readonly AgentTool[]) =>
    Object.fromEntries(
      tools.map(({ name, description, parameters, call, check }) => {
        const validate = (value: unknown) => {
          try {
            check(value);
            return { success: true as const, value };
          } catch (error) {
            return { success: false as const, error: toError(error) };
          }
        };
        const standard = (value: unknown) => {
          const result = validate(value);
          return result.success ? { value } : { issues: [{ message: result.error.message }] };
        };
        const inputSchema = {
          [AI_SDK_SCHEMA]: true,
          jsonSchema: parameters,
          validate,
          // Its types take a Standard Schema (standardschema.dev) from those who do not import its symbol.
          '~standard': { version: 1 as const, vendor: 'skillgate', validate: standard },
        };
        return [
          name,
          { description, inputSchema, execute: async (input: unknown) => (await call(input)).text },
        ];
      }),
    ),
  openai: (tools: readonly AgentTool[]) =>
    tools.map(({ name, description, parameters }) => ({
      type: 'function' as const,
      function: { name, description, parameters },
    })),
  // `strict` would require that every argument is given.
  'openai-responses': (tools: readonly AgentTool[]) =>
    tools.map(({ name, description, parameters }) => ({
      type: 'function' as const,
      name,
      description,
      parameters,
      strict: false as const,
    })),
  anthropic: (tools: readonly AgentTool[]) =>
    tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
  langchain: (tools: readonly AgentTool[]) =>
    tools.map(({ name, description, parameters, call }) => {
      const func = async (input: unknown) => (await call(input)).text;
      return { name, description, schema: parameters, func, invoke: func };
    }),
};

export interface ToolsByFormat {
  /** The Vercel AI SDK: `generateText({ tools })`. */
  readonly 'ai-sdk': ReturnType<(typeof AGENT_FORMATS)['ai-sdk']>;
  /** OpenAI's Chat Completions, and the many servers that speak the same. */
  readonly openai: ReturnType<(typeof AGENT_FORMATS)['openai']>;
  /** OpenAI's Responses. */
  readonly 'openai-responses': ReturnType<(typeof AGENT_FORMATS)['openai-responses']>;
  /** Anthropic's Messages. */
  readonly anthropic: ReturnType<(typeof AGENT_FORMATS)['anthropic']>;
  /** LangChain: `model.bindTools(tools)`, or `tools.map((fields) => new DynamicStructuredTool(fields))` for an agent. */
  readonly langchain: ReturnType<(typeof AGENT_FORMATS)['langchain']>;
}
