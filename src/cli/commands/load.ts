/** `skillgate load`: prints the instructions of one skill. */

import type { CommonOptions } from '../../app/settings.ts';
import { named } from '../../base/text.ts';
import type { LoadedSkill } from '../../gateway/gateway.ts';
import { loadResult } from '../../mcp/tools/load-skill.ts';
import { colours, printJson, printText, sameSkills, say } from '../output.ts';
import { withGateway } from './with-gateway.ts';

export interface LoadOptions extends CommonOptions {
  readonly section?: string;
  readonly maxTokens?: number;
}

export async function load(skill: string, options: LoadOptions): Promise<void> {
  const { section, maxTokens } = options;
  const loaded = await withGateway(options, (gateway) =>
    gateway.load({
      skill,
      section,
      maxTokens,
    }),
  );
  if (options.json === true) printJson(loadResult(loaded, section !== undefined));
  else showSkill(loaded, sameSkills(options));
}

/** `options` are added to the command that continues. */
export function showSkill({ entry, instructions, files }: LoadedSkill, options: string): void {
  const [from, to] = instructions.lines;
  say(
    colours.dim(
      `${named(`${entry.folder}/${entry.file}`)}, lines ${from}–${to} of ${instructions.lineCount}`,
    ),
  );
  printText(instructions.text);
  if (instructions.truncated && instructions.continueAt !== undefined)
    say(
      colours.yellow(
        `Cut here. Continue with: skillgate read ${named(entry.id)} ${named(entry.file)} --lines ${instructions.continueAt}-${instructions.lineCount}${options}`,
      ),
    );
  for (const kind of ['reference', 'script', 'asset'] as const) {
    const paths = files.filter((file) => file.kind === kind).map((file) => file.path);
    if (paths.length > 0) say(colours.dim(`${kind}s: ${paths.map(named).join(', ')}`));
  }
}
