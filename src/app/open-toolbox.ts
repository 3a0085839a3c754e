/** Opens the tools of other servers that `serve` offers through `use_tool`. */

import { Toolbox, type ToolboxOptions } from '../gateway/tools/toolbox.ts';
import { OWN_TOOLS, type ToolProfile, withTool } from '../mcp/tools/profile.ts';
import { useTool } from '../mcp/tools/use-tool.ts';
import { isMcpSource } from '../sources/fetched.ts';
import type { Source } from '../sources/source.ts';
import { bytes, milliseconds } from './config/units.ts';
import type { Settings } from './settings.ts';

/** Takes the sources whose settings offer their tools. Connects to none until a skill names a tool. */
export function openToolbox(
  sources: readonly Source[],
  settings: Pick<Settings, 'sources' | 'config'>,
  mayUse: ToolboxOptions['mayUse'] = () => true,
): Toolbox {
  const { gate, timeout, maxResult } = settings.config.tools;
  const offered = settings.sources.flatMap(({ name, config }) =>
    config.kind === 'mcp' && config.tools ? name : [],
  );
  return new Toolbox({
    upstreams: sources.filter(isMcpSource).filter(({ name }) => offered.includes(name)),
    own: OWN_TOOLS,
    gate,
    timeoutMs: milliseconds(timeout),
    maxResultBytes: bytes(maxResult),
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
