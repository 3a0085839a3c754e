/** `skillgate instructions`: prints how an agent uses these skills, for AGENTS.md and similar files. */

import { profileNamed } from '../../app/server-tools.ts';
import type { CommonOptions } from '../../app/settings.ts';
import { guidance, wrapped } from '../../mcp/instructions.ts';
import { CliError } from '../exit-codes.ts';
import { printJson, printText, say } from '../output.ts';
import { withGateway } from './with-gateway.ts';

export interface InstructionsOptions extends CommonOptions {
  /** False for the text without its element. */
  readonly xml: boolean;
  readonly tools: string;
}

export async function instructions(options: InstructionsOptions): Promise<void> {
  const summary = await withGateway(options, (gateway) => gateway.summary()).catch(noSkills);
  const isEmpty = summary === null || summary.skills === 0;
  if (isEmpty) say('There are no skills yet: the text is empty. Run this again once there are.');
  const text = isEmpty
    ? ''
    : guidance(summary, (await profileNamed(options.tools, options.extensions ?? [])).wording);
  const shown = options.xml ? wrapped(text) : text;
  if (options.json === true) printJson({ instructions: shown });
  else printText(shown);
}

function noSkills(error: unknown): null {
  if (error instanceof CliError && error.code === 'NO_SKILLS') return null;
  throw error;
}
