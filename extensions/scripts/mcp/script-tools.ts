/** Running scripts for the tools of a profile and the methods of older drafts. */

import {
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { demandWhole } from '../../../src/gateway/skill-files.ts';
import { principalOf } from '../../../src/mcp/principal.ts';
import type { OpenScripts, ScriptTools } from '../../../src/mcp/script-tools.ts';
import type { ServerFeature } from '../../../src/mcp/server.ts';
import { contentsOf } from '../../../src/mcp/text.ts';
import { runScript, scriptTool } from './run-script.ts';
import { exitSentence, outputFirst, tailOf } from './script-answer.ts';
import { runForDraft } from './script-run.ts';

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
      ends: { stdout: tailOf(outcome.stdout), stderr: tailOf(outcome.stderr) },
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
          const found = (await scripts()).output(href, principalOf(ctx.http?.authInfo));
          if (found === null)
            throw new ResourceNotFoundError(href, 'There is no such output, or it is no longer kept.');
          const { bytes, mimeType } = found;
          demandWhole(href, bytes.length);
          return { contents: [{ uri: href, mimeType, ...contentsOf(bytes) }] };
        },
      );
    },
  };
}
