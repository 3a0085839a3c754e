/** What a server offers in addition to tools, and what extensions add: tool profiles, and the methods of older drafts. */

import { EXTENSIONS } from '../../extensions/extensions.ts';
import type { Log } from '../mcp/errors.ts';
import { olderMethods } from '../mcp/older-methods.ts';
import { promptsFeature } from '../mcp/prompts.ts';
import { SkillPublisher } from '../mcp/published-skills.ts';
import type { ScriptTools } from '../mcp/script-tools.ts';
import type { ServerFeature } from '../mcp/server.ts';
import { skillsExtension } from '../mcp/skills-extension.ts';
import { SEARCH_FIRST, type ToolProfile, withTool } from '../mcp/tools/profile.ts';
import { PROFILE_NAMES } from './load-extensions.ts';

/** Throws where no profile has this name. */
export async function profileNamed(name: string, scripts?: ScriptTools): Promise<ToolProfile> {
  if (name === PROFILE_NAMES[0])
    return scripts === undefined ? SEARCH_FIRST : withTool(SEARCH_FIRST, scripts.runScript);
  const entry = EXTENSIONS.find(({ profiles = [] }) => profiles.includes(name));
  const profile = (await entry?.load())?.profile?.(name, scripts);
  if (profile === undefined) throw new Error(`There is no tool profile "${name}".`);
  return profile;
}

interface FeatureOptions {
  readonly profile: ToolProfile;
  readonly scripts?: ScriptTools | undefined;
  /** Whether the methods of older drafts are served. */
  readonly drafts: boolean;
  readonly log: Log;
}

/** In the order in which they are attached, over one publisher. */
export function serverFeatures(options: FeatureOptions): readonly ServerFeature[] {
  const publisher = new SkillPublisher(options.log);
  return [
    skillsExtension(options.log, publisher),
    ...(options.drafts ? olderFeatures(publisher, options) : []),
    promptsFeature(options.profile, options.log),
  ];
}

/** The methods of older drafts, whose code is loaded at the first call of one. */
const olderFeatures = (
  publisher: SkillPublisher,
  { profile: { tools }, scripts, log }: FeatureOptions,
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
