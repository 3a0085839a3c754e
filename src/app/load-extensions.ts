/** Loads extensions where something asks for them. */

import { EXTENSIONS } from '../../extensions/extensions.ts';
import type { Log } from '../mcp/errors.ts';
import { olderMethods } from '../mcp/older-methods.ts';
import type { SkillPublisher } from '../mcp/published-skills.ts';
import type { ScriptTools } from '../mcp/script-tools.ts';
import type { ServerFeature } from '../mcp/server.ts';
import { type ToolProfile, withTool } from '../mcp/tools/profile.ts';
import { SEARCH_FIRST } from '../mcp/tools/search-first.ts';
import type { Check } from './check.ts';
import type { Config } from './config/schema.ts';
import type { Extension } from './extension.ts';
import type { ProcessEnvironment, Settings } from './settings.ts';

/** What the extensions that the configuration asks for add of one kind; undefined where none adds it. */
export async function wanted<Kind extends keyof Extension>(
  kind: Kind,
  config: Config,
): Promise<Extension[Kind] | undefined> {
  for (const { isWanted, load } of EXTENSIONS) {
    if (isWanted?.(config) !== true) continue;
    const added = (await load())[kind];
    if (added !== undefined) return added;
  }
  return undefined;
}

/** Names of `--tools`; the first is the default. */
export const PROFILE_NAMES: readonly string[] = [
  'search-first',
  ...EXTENSIONS.flatMap(({ profiles = [] }) => profiles),
];

/** Throws where no profile has this name. */
export async function profileNamed(name: string, scripts?: ScriptTools): Promise<ToolProfile> {
  if (name === PROFILE_NAMES[0])
    return scripts === undefined ? SEARCH_FIRST : withTool(SEARCH_FIRST, scripts.runScript);
  const entry = EXTENSIONS.find(({ profiles = [] }) => profiles.includes(name));
  const profile = (await entry?.load())?.profile?.(name, scripts);
  if (profile === undefined) throw new Error(`There is no tool profile "${name}".`);
  return profile;
}

/** The methods of older drafts, whose code is loaded at the first call of one. */
export const olderFeatures = (
  publisher: SkillPublisher,
  { tools }: ToolProfile,
  scripts: ScriptTools | undefined,
  log: Log,
): readonly ServerFeature[] =>
  EXTENSIONS.flatMap(({ olderMethods: older, load }) =>
    older === undefined
      ? []
      : olderMethods(older, {
          runsScripts: scripts !== undefined,
          log,
          async open(mcp, context) {
            const { olderHandlers } = await load();
            if (olderHandlers === undefined) throw new Error('The code of these methods is missing.');
            const names = new Set(tools.map(({ name }) => name));
            return olderHandlers({ publisher, scripts, tools: names, log })(mcp, context);
          },
        }),
  );

/** The checks of all extensions for `doctor`, in the order of the list. */
export async function checksOfExtensions(
  settings: Settings,
  environment: ProcessEnvironment,
): Promise<readonly Check[]> {
  const extensions = await Promise.all(EXTENSIONS.map(({ load }) => load()));
  const checks = extensions.map(({ checks }) => checks?.(settings, environment) ?? []);
  return (await Promise.all(checks)).flat();
}
