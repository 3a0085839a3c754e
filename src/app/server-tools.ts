/** The tools of a server: its profile, tools of other servers behind `use_tool`; and its other features. */

import { Toolbox, type ToolboxOptions } from '../gateway/tools/toolbox.ts';
import type { Log } from '../mcp/errors.ts';
import { olderMethods } from '../mcp/older-methods.ts';
import { promptsFeature } from '../mcp/prompts.ts';
import { SkillPublisher } from '../mcp/published-skills.ts';
import type { ScriptTools } from '../mcp/script-tools.ts';
import type { ServerFeature } from '../mcp/server.ts';
import { skillsExtension } from '../mcp/skills-extension.ts';
import { OWN_TOOLS, SEARCH_FIRST, type ToolProfile, withTool } from '../mcp/tools/profile.ts';
import { isMcpSource } from '../sources/fetched.ts';
import type { Source } from '../sources/source.ts';
import type { ExtensionEntry } from './extension-api.ts';
import { profileNames } from './load-extensions.ts';
import type { Settings } from './settings.ts';

/** Throws where no profile has this name. */
export async function profileNamed(
  name: string,
  extensions: readonly ExtensionEntry[],
  scripts?: ScriptTools,
): Promise<ToolProfile> {
  if (name === profileNames(extensions)[0])
    return scripts === undefined ? SEARCH_FIRST : withTool(SEARCH_FIRST, scripts.runScript);
  const entry = extensions.find(({ profiles = [] }) => profiles.includes(name));
  const profile = (await entry?.load?.())?.profile?.(name, scripts);
  if (profile === undefined) throw new Error(`There is no tool profile "${name}".`);
  return profile;
}

/** Adds `use_tool` where the configuration opens the gate: once per process, so that the tool list never changes. */
export async function profileWithTools(
  profile: ToolProfile,
  { config }: Pick<Settings, 'config'>,
): Promise<ToolProfile> {
  const { gate } = config.tools;
  if (gate === 'off') return profile;
  const loader = profile.tools.some(({ name }) => name === 'load_skill') ? 'load_skill' : 'get_skill';
  const { useTool } = await import('../mcp/tools/use-tool.ts');
  return withTool(profile, useTool(gate, loader));
}

/** Of one call of a tool. */
const TIMEOUT_MS = 60_000;
/** Of its result: larger ones are refused. */
const MAX_RESULT_BYTES = 4 * 2 ** 20;

/** Takes the sources whose settings offer their tools. Connects to none until a skill names a tool. */
export function openToolbox(
  sources: readonly Source[],
  settings: Pick<Settings, 'sources' | 'config'>,
  mayUse: ToolboxOptions['mayUse'] = () => true,
): Toolbox {
  const offered = settings.sources.flatMap(({ name, config }) =>
    config.kind === 'mcp' && config.tools ? name : [],
  );
  return new Toolbox({
    upstreams: sources.filter(isMcpSource).filter(({ name }) => offered.includes(name)),
    own: OWN_TOOLS,
    gate: settings.config.tools.gate,
    timeoutMs: TIMEOUT_MS,
    maxResultBytes: MAX_RESULT_BYTES,
    mayUse,
    now: () => performance.now(),
  });
}

interface FeatureOptions {
  readonly profile: ToolProfile;
  readonly scripts?: ScriptTools | undefined;
  /** Whether the methods of older drafts are served. */
  readonly drafts: boolean;
  readonly extensions: readonly ExtensionEntry[];
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
  { profile: { tools }, scripts, extensions, log }: FeatureOptions,
): readonly ServerFeature[] =>
  extensions.flatMap(({ olderMethods: older, load }) =>
    older === undefined
      ? []
      : olderMethods(older, {
          runsScripts: scripts !== undefined,
          log,
          async open(mcp, context) {
            const olderHandlers = (await load?.())?.olderHandlers;
            if (olderHandlers === undefined) throw new Error('The code of these methods is missing.');
            const names = new Set(tools.map(({ name }) => name));
            return olderHandlers({ publisher, scripts, tools: names, log })(mcp, context);
          },
        }),
  );
