/** Running scripts for the tools of a profile and the methods of older drafts. */

import type { OpenScripts, ScriptTools } from '../../../src/mcp/script-tools.ts';
import { runScript, scriptTool } from './run-script.ts';
import { exitSentence, outputFirst, tailOf } from './script-answer.ts';
import { scriptOutputs } from './script-outputs.ts';
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
