/** `skillgate read`: prints a file of a skill, or some of its lines. */

import type { CommonOptions } from '../../app/settings.ts';
import type { ReadResult } from '../../gateway/gateway.ts';
import { readResult } from '../../mcp/tools/read-reference.ts';
import { CliError } from '../exit-codes.ts';
import { colours, printJson, printText, sameSkills, say } from '../output.ts';
import { withGateway } from './with-gateway.ts';

export interface ReadOptions extends CommonOptions {
  readonly lines?: string;
  readonly heading?: string;
  readonly maxTokens?: number;
}

export async function read(skill: string, path: string, options: ReadOptions): Promise<void> {
  const { lines, heading, maxTokens } = options;
  const result = await withGateway(options, (gateway) =>
    gateway.read({
      skill,
      path,
      ...(lines === undefined ? {} : { lines: parseLines(lines) }),
      heading,
      maxTokens,
    }),
  );
  if (options.json === true) printJson(readResult(skill, result));
  else showFile(result, skill, sameSkills(options));
}

/** `A-B`, or `A` for one line. */
function parseLines(lines: string): [number, number] {
  const match = /^(\d+)(?:-(\d+))?$/.exec(lines.trim());
  if (match === null) throw new CliError('USAGE', `--lines takes a range such as 10-25, not "${lines}".`);
  const from = Number(match[1]);
  return [from, match[2] === undefined ? from : Number(match[2])];
}

/** `options` are added to the command that continues. */
export function showFile(result: ReadResult, skill: string, options: string): void {
  if (result.kind === 'image') {
    say(`${result.path} is an image (${result.mimeType}); --json prints it in base64.`);
    return;
  }
  const { text, lines, lineCount, truncated, continueAt } = result.slice;
  say(colours.dim(`${result.path}, lines ${lines[0]}–${lines[1]} of ${lineCount}`));
  printText(text);
  if (truncated && continueAt !== undefined)
    say(
      colours.yellow(
        `Cut here. Continue with: skillgate read ${skill} ${result.path} --lines ${continueAt}-${lineCount}${options}`,
      ),
    );
}
