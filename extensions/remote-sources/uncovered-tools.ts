/** Tools of connected servers that no skill names, and tools that skills name and no server here offers. Reads the index as it is. */

import { processEnvironment } from '../../src/app/configured.ts';
import type { Check, Settings } from '../../src/app/extension-api.ts';
import { indexedEntries } from '../../src/app/model.ts';
import { openSources } from '../../src/app/open-sources.ts';
import { openToolbox } from '../../src/app/server-tools.ts';
import { counted } from '../../src/base/text.ts';
import { print } from '../../src/cli/output.ts';
import { LOCAL } from '../../src/gateway/policy/principal.ts';

/** Tools in a report. */
const SHOWN = 10;

interface ToolsWithoutSkill {
  /** As `server/tool`; absent where there are none, or no server's tools are offered. */
  readonly toolsWithoutSkill?: readonly string[];
}

/** For `--json`. */
export async function findUnnamedTools(settings: Settings): Promise<ToolsWithoutSkill> {
  if (!settings.sources.some(({ config }) => config.kind === 'mcp' && config.tools)) return {};
  const entries = (await indexedEntries(settings)) ?? [];
  const tools = await withToolbox(settings, (toolbox) => toolbox.unnamed(entries));
  return tools.length === 0 ? {} : { toolsWithoutSkill: tools };
}

export function printUnnamedTools({ toolsWithoutSkill: tools = [] }: ToolsWithoutSkill): void {
  if (tools.length === 0) return;
  const more = tools.length > SHOWN ? `, and ${tools.length - SHOWN} more` : '';
  print(
    `No skill names ${counted(tools.length, 'tool')} of connected servers: ${tools.slice(0, SHOWN).join(', ')}${more}`,
  );
}

/** The check of `skillgate doctor`. */
export async function checkToolsOfSkills(settings: Settings): Promise<readonly Check[]> {
  const entries = ((await indexedEntries(settings)) ?? []).filter(
    ({ mcpTools, allowedTools }) => mcpTools.length > 0 || allowedTools.length > 0,
  );
  if (entries.length === 0) return [];
  const skills = new Map<string, string[]>();
  await withToolbox(settings, async (toolbox) => {
    for (const entry of entries)
      for (const tool of (await toolbox.load(entry, LOCAL)).uncovered ?? [])
        skills.set(tool, [...(skills.get(tool) ?? []), entry.id]);
  });
  if (skills.size === 0) return [];
  const details = Array.from(skills, ([tool, ids]) => {
    const more = ids.length > 1 ? ` and ${counted(ids.length - 1, 'other skill')}` : '';
    return `${tool}: ${ids[0]}${more}`;
  });
  return [
    {
      name: 'tools',
      state: 'note',
      message: `Skills name ${counted(skills.size, 'MCP tool')} that no server here offers. The host may have them.`,
      details:
        details.length > SHOWN ? [...details.slice(0, SHOWN), `and ${details.length - SHOWN} more`] : details,
    },
  ];
}

async function withToolbox<Result>(
  settings: Settings,
  use: (toolbox: ReturnType<typeof openToolbox>) => Promise<Result>,
): Promise<Result> {
  const sources = await openSources(settings, processEnvironment());
  try {
    return await use(openToolbox(sources.all, settings));
  } finally {
    await sources.close();
  }
}
