/**
 * The search-first tools without a protocol: for programs that call a model themselves (`agentTools`, `callAgentTool`), and
 * as functions (`programCalls`).
 */

import { type Gateway, GatewayError } from '../gateway/gateway.ts';
import { failureOf, type Log } from './errors.ts';
import { writeGuide } from './instructions.ts';
import type { ReadResult, ToolCallResult } from './library-types.ts';
import { quote } from './text.ts';
import { listSkills } from './tools/list-skills.ts';
import { loadSkill } from './tools/load-skill.ts';
import { readFrom, readReference } from './tools/read-reference.ts';
import { searchSkills, searchWhole } from './tools/search-skills.ts';
import { wholeResults } from './whole-results.ts';

export interface AgentTool {
  readonly name: string;
  /** Names the themes of the catalog. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>> & { readonly type: 'object' };
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
    check: (args) => void tool.parse(parsed(args)),
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
  return resultOf(failureOf(new GatewayError('REQUEST_INVALID', message), log));
}

const called = async (tool: AnyTool, args: unknown, gateway: Gateway, log: Log) =>
  resultOf(await tool.call(parsed(args), gateway, log));

function resultOf({
  content,
  structuredContent = {},
  isError = false,
}: Awaited<ReturnType<AnyTool['call']>>): ToolCallResult {
  const texts = content.flatMap((block) => (block.type === 'text' ? block.text : []));
  return { text: texts.join('\n'), structured: Object.assign({}, structuredContent), is_error: isError };
}

/** Some providers hand arguments over as JSON text. What is no JSON is left to the schema. */
function parsed(args: unknown): unknown {
  if (args === undefined || args === null || args === '') return {};
  if (typeof args !== 'string') return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

/** The tools' results as values, nothing of them cut for a model. Arguments are checked as a client's are. */
export const programCalls = {
  search: (args: unknown, gateway: Gateway) => searchWhole(searchSkills.parse(args), gateway),

  load: (args: unknown, gateway: Gateway) => loadSkill.structured(loadSkill.parse(args), gateway),

  async read(args: unknown, gateway: Gateway): Promise<ReadResult> {
    const request = readReference.parse(args);
    return wholeResults.read(request.skill, await readFrom(request, gateway));
  },

  async list(args: unknown, gateway: Gateway) {
    const { cursor, limit } = listSkills.parse(args);
    return wholeResults.list(await gateway.list({ limit, cursor }));
  },
};
