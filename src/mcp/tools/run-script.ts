/** run_script: a script of a skill, run in a sandbox. Only there where the configuration switches scripts on. */

import { isInputRequiredResult, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { failureOf, failureSchema } from '../errors.ts';
import { answerOf, outcomeSchema } from '../script-answer.ts';
import { type OpenScripts, runForTool } from '../script-run.ts';
import { convertedOnce, type Tool, type ToolContext } from '../tool.ts';
import { asJson, asNumber, toolArguments, wholeNumber } from './arguments.ts';
import type { ToolProfile } from './profile.ts';

/** Seconds that may be asked for; the configuration allows fewer. */
const MOST_SECONDS = 86_400;

/**
 * It runs what somebody wrote, in a place of its own: nothing outside is changed and no network is reached, unless
 * scripts may reach domains, where they may do anything that those allow.
 */
const annotationsOf = (reaches: boolean) => ({
  readOnlyHint: false,
  destructiveHint: reaches,
  idempotentHint: false,
  openWorldHint: reaches,
});

/** What the dialects' tools have in common: what is asked for, and how it is told to the client. */
export interface ScriptToolDeclaration<Arguments> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType<Arguments>;
  readonly requestOf: (args: Arguments) => {
    readonly skill: string;
    readonly script: string;
    readonly values: Readonly<Record<string, unknown>>;
    readonly timeoutMs?: number;
  };
}

export function scriptTool<Arguments>(
  { name, title, description, input, requestOf }: ScriptToolDeclaration<Arguments>,
  scripts: OpenScripts,
  reaches: boolean,
): Tool {
  const inputSchema = convertedOnce<Arguments>(input);
  const outputSchema = convertedOnce(z.union([outcomeSchema, failureSchema]));
  const config = { title, description, inputSchema, outputSchema, annotations: annotationsOf(reaches) };
  return {
    name,
    register(server: McpServer, context: ToolContext) {
      server.registerTool(name, config, async (args: Arguments, ctx: ServerContext) => {
        try {
          const { values, ...request } = requestOf(args);
          const outcome = await runForTool({
            request: { ...request, input: { kind: 'named', values } },
            gateway: await context.gateway(),
            scripts: await scripts(),
            server,
            ctx,
          });
          return isInputRequiredResult(outcome) ? outcome : answerOf(outcome);
        } catch (error) {
          return failureOf(error, (message) => context.log(`${name}: ${message}`));
        }
      });
    },
  };
}

export const runScript = (scripts: OpenScripts, reaches: boolean): Tool =>
  scriptTool(
    {
      name: 'run_script',
      title: 'Run script',
      description:
        "Runs a script of a loaded skill in a sandbox: no network but domains that were granted, no files but the skill's (read-only, at /skill) and those that you pass. For agents without a shell.",
      input: toolArguments(
        {
          skill: z.string().min(1, 'must name a skill').describe('Id, uri or name'),
          script: z
            .string()
            .min(1, 'must name a script')
            .describe('Path below the skill, as load_skill lists it'),
          arguments: z
            .looseObject({})
            .default({})
            .describe(
              'Become --name value, and JSON on standard input; _: words without a flag; _files: {path: text} to work on; _stdin: text instead of JSON',
            ),
          timeout: wholeNumber(1, MOST_SECONDS).optional().describe('Seconds; the server may allow fewer'),
        },
        { arguments: asJson, timeout: asNumber },
      ),
      requestOf: ({ skill, script, arguments: values, timeout }) => ({
        skill,
        script,
        values,
        ...(timeout !== undefined && { timeoutMs: timeout * 1_000 }),
      }),
    },
    scripts,
    reaches,
  );

/** The profile with run_script as its last tool. */
export const withRunScript = (profile: ToolProfile, scripts: OpenScripts, reaches: boolean): ToolProfile => ({
  ...profile,
  tools: [...profile.tools, runScript(scripts, reaches)],
});
