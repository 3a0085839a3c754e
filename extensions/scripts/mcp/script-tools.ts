/** Running scripts for the tools of a profile (run_script is search-first's), and for the methods of older drafts. */

import {
  isInputRequiredResult,
  type McpServer,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type {
  OpenScripts,
  ScriptToolDeclaration,
  ScriptTools,
  ServerFeature,
} from '../../../src/app/extension-api.ts';
import { toContents } from '../../../src/base/text.ts';
import { demandWhole } from '../../../src/gateway/skill-files.ts';
import { failureSchema } from '../../../src/mcp/errors.ts';
import { toPrincipal } from '../../../src/mcp/principal.ts';
import {
  answered,
  inForm,
  type Tool,
  type ToolContext,
  withCachedJsonSchema,
} from '../../../src/mcp/tool.ts';
import { toolArguments, wholeNumber } from '../../../src/mcp/tools/arguments.ts';
import { exitSentence, lastPart, outcomeSchema, outputFirst, toToolResult } from './script-answer.ts';
import { runForDraft, runForTool } from './script-run.ts';

/** `reaches`: whether scripts may reach any domain. */
export const scriptTools = (scripts: OpenScripts, reaches: boolean): ScriptTools => ({
  runScript: runScript(scripts, reaches),
  tool: (declaration) => scriptTool(declaration, scripts, reaches),
  async runForDraft(call) {
    const outcome = await runForDraft({ ...call, scripts: await scripts() });
    return {
      outcome,
      content: outputFirst(outcome),
      sentence: exitSentence(outcome),
      ends: { stdout: lastPart(outcome.stdout), stderr: lastPart(outcome.stderr) },
    };
  },
  outputs: scriptOutputs(scripts),
});

function scriptOutputs(scripts: OpenScripts): ServerFeature {
  return {
    attach(server) {
      server.registerResource(
        'script-output',
        new ResourceTemplate('skill-output://{run}/{+path}', { list: undefined }),
        { title: 'Output of a script', description: 'A file that a run left, kept for a while' },
        async ({ href }, _variables, ctx): Promise<ReadResourceResult> => {
          const found = (await scripts()).output(href, toPrincipal(ctx.http?.authInfo));
          if (found === null)
            throw new ResourceNotFoundError(href, 'There is no such output, or it is no longer kept.');
          const { bytes, mimeType } = found;
          demandWhole(href, bytes.length);
          return { contents: [{ uri: href, mimeType, ...toContents(bytes) }] };
        },
      );
    },
  };
}

/** Most seconds that a call may ask for; the configuration sets a lower limit. */
const MAX_SECONDS = 86_400;

/**
 * A script runs in a sandbox: it changes nothing outside and has no network. If scripts may reach domains, they may do
 * anything that these domains allow.
 */
const toolAnnotations = (reaches: boolean) => ({
  readOnlyHint: false,
  destructiveHint: reaches,
  idempotentHint: false,
  openWorldHint: reaches,
});

function scriptTool<Arguments>(
  { name, title, description, input, outputFirst, requestOf }: ScriptToolDeclaration<Arguments>,
  scripts: OpenScripts,
  reaches: boolean,
): Tool {
  const inputSchema = withCachedJsonSchema<Arguments>(input);
  const outputSchema = withCachedJsonSchema(z.union([outcomeSchema, failureSchema]));
  return {
    name,
    register(server: McpServer, context: ToolContext) {
      const config = {
        title,
        description,
        inputSchema,
        ...(context.answers === 'both' && { outputSchema }),
        annotations: toolAnnotations(reaches),
      };
      server.registerTool(name, config, (args: Arguments, ctx: ServerContext) =>
        answered(name, context, async () => {
          const { values, ...request } = requestOf(args);
          const outcome = await runForTool({
            request: { ...request, input: { kind: 'named', values } },
            gateway: await context.gateway(ctx),
            scripts: await scripts(),
            server,
            ctx,
          });
          return isInputRequiredResult(outcome)
            ? outcome
            : inForm(context.answers, toToolResult(outcome, outputFirst));
        }),
      );
    },
  };
}

const runScript = (scripts: OpenScripts, reaches: boolean): Tool =>
  scriptTool(
    {
      name: 'run_script',
      title: 'Run script',
      description:
        "Runs a script of a loaded skill in a sandbox: no network but domains that were granted, no files but the skill's (read-only, at /skill) and those that you pass. For agents without a shell.",
      input: toolArguments({
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
        timeout: wholeNumber(1, MAX_SECONDS).optional().describe('Seconds; the server may allow fewer'),
      }),
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
