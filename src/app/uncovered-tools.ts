/** The check of `skillgate doctor` for MCP tools that skills name and no server here offers. Reads the index as it is. */

import { LOCAL } from '../gateway/policy/principal.ts';
import { counted } from '../mcp/text.ts';
import type { ProcessEnvironment } from './configured.ts';
import type { Check } from './extension-api.ts';
import { indexedEntries } from './model.ts';
import { openSources } from './open-sources.ts';
import { openToolbox } from './server-tools.ts';
import type { Settings } from './settings.ts';

/** Tools in the report. */
const SHOWN = 10;

/** Tools of connected servers that no indexed skill names, as `server/tool`; empty where no server's tools are offered. */
export async function toolsWithoutSkill(
  settings: Settings,
  environment: ProcessEnvironment,
): Promise<readonly string[]> {
  if (!settings.sources.some(({ config }) => config.kind === 'mcp' && config.tools)) return [];
  const entries = (await indexedEntries(settings)) ?? [];
  const sources = await openSources(settings, environment);
  try {
    return await openToolbox(sources.all, settings).unnamed(entries);
  } finally {
    await sources.close();
  }
}

export async function uncoveredTools(
  settings: Settings,
  environment: ProcessEnvironment,
): Promise<readonly Check[]> {
  const entries = ((await indexedEntries(settings)) ?? []).filter(
    ({ mcpTools, allowedTools }) => mcpTools.length > 0 || allowedTools.length > 0,
  );
  if (entries.length === 0) return [];
  const sources = await openSources(settings, environment);
  const skills = new Map<string, string[]>();
  try {
    const toolbox = openToolbox(sources.all, settings);
    for (const entry of entries)
      for (const tool of (await toolbox.load(entry, LOCAL)).uncovered ?? [])
        skills.set(tool, [...(skills.get(tool) ?? []), entry.id]);
  } finally {
    await sources.close();
  }
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
