/** `skillgate instructions`: prints how an agent uses these skills, for AGENTS.md and similar files. */

import { profileNamed } from '../../app/load-extensions.ts';
import type { CommonOptions } from '../../app/settings.ts';
import { guidance, wrapped } from '../../mcp/guidance.ts';
import { print, printJson } from '../output.ts';
import { withGateway } from './with-gateway.ts';

export interface InstructionsOptions extends CommonOptions {
  /** False for the text without its element. */
  readonly xml: boolean;
  readonly tools: string;
}

export async function instructions(options: InstructionsOptions): Promise<void> {
  const summary = await withGateway(options, (gateway) => gateway.summary());
  const text = guidance(summary, (await profileNamed(options.tools)).wording);
  const shown = options.xml ? wrapped(text) : text;
  if (options.json === true) printJson({ instructions: shown });
  else print(shown);
}
