/** Opens the tools of other servers that `serve` offers through `use_tool`. */

import { Toolbox, type ToolboxOptions } from '../gateway/tools/toolbox.ts';
import { OWN_TOOLS, type ToolProfile, withTool } from '../mcp/tools/profile.ts';
import { useTool } from '../mcp/tools/use-tool.ts';
import { isMcpSource } from '../sources/fetched.ts';
import type { Source } from '../sources/source.ts';
import type { Settings } from './settings.ts';

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

/** Adds `use_tool` where the configuration opens the gate: once per process, so that the tool list never changes. */
export function profileWithTools(profile: ToolProfile, { config }: Pick<Settings, 'config'>): ToolProfile {
  const { gate } = config.tools;
  if (gate === 'off') return profile;
  const loader = profile.tools.some(({ name }) => name === 'load_skill') ? 'load_skill' : 'get_skill';
  return withTool(profile, useTool(gate, loader));
}
