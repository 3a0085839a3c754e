/** Every tool profile, as `--tools` names it, and scripts in it where they are enabled. */

import { EXTENSIONS } from '../../../extensions/extensions.ts';
import { extension as scriptsExtension } from '../../../extensions/scripts/extension.ts';
import { DEFAULTS } from '../../../src/app/config/defaults.ts';
import { profileNamed, serverFeatures } from '../../../src/app/server-tools.ts';
import type { OpenScripts, ScriptTools } from '../../../src/mcp/script-tools.ts';
import type { ServerFeature } from '../../../src/mcp/server.ts';
import type { ToolProfile } from '../../../src/mcp/tools/profile.ts';

export const PROFILE_NAMES = ['search-first', 'skills-mcp', 'skill-engine'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

const [searchFirst, skillsMcp, skillEngine] = await Promise.all([
  profileNamed('search-first', EXTENSIONS),
  profileNamed('skills-mcp', EXTENSIONS),
  profileNamed('skill-engine', EXTENSIONS),
]);
export const PROFILES: Readonly<Record<ProfileName, ToolProfile>> = {
  'search-first': searchFirst,
  'skills-mcp': skillsMcp,
  'skill-engine': skillEngine,
};

/** `reaches`: whether scripts may reach a domain. */
export function scriptToolsOver(scripts: OpenScripts, reaches = false): ScriptTools {
  const domains = reaches ? ['example.org'] : [];
  const { scripts: runner } = scriptsExtension;
  if (runner === undefined) throw new Error('The extension runs no scripts.');
  return runner.tools(scripts, { ...DEFAULTS, scripts: { ...DEFAULTS.scripts, domains } });
}

/** All features of a server, as `serve` attaches them. */
export const allFeatures = (
  profile: ToolProfile,
  log: (line: string) => void,
  { drafts = true, scripts }: { readonly drafts?: boolean; readonly scripts?: ScriptTools } = {},
): readonly ServerFeature[] => [
  ...(scripts === undefined ? [] : [scripts.outputs]),
  ...serverFeatures({ profile, scripts, drafts, extensions: EXTENSIONS, log }),
];
