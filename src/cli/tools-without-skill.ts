/** What commands print of the tools of connected servers that no skill names. */

import { processEnvironment } from '../app/configured.ts';
import type { Settings } from '../app/settings.ts';
import { toolsWithoutSkill } from '../app/uncovered-tools.ts';
import { counted } from '../mcp/text.ts';
import { print } from './output.ts';

/** Tools printed by name. */
const SHOWN = 10;

/** For `--json`; empty where every tool is named, or no server's tools are offered. */
export async function unnamedTools(
  settings: Settings,
): Promise<{ readonly toolsWithoutSkill?: readonly string[] }> {
  const tools = await toolsWithoutSkill(settings, processEnvironment());
  return tools.length === 0 ? {} : { toolsWithoutSkill: tools };
}

export function showUnnamed({
  toolsWithoutSkill: tools = [],
}: Awaited<ReturnType<typeof unnamedTools>>): void {
  if (tools.length === 0) return;
  const more = tools.length > SHOWN ? `, and ${tools.length - SHOWN} more` : '';
  print(
    `No skill names ${counted(tools.length, 'tool')} of connected servers: ${tools.slice(0, SHOWN).join(', ')}${more}`,
  );
}
