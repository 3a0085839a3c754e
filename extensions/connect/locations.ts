/** Where a host keeps its files on each system. Paths are built with the rules of that system, so that tests can ask for any. */

import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import type { ProcessEnvironment } from '../../src/app/configured.ts';
import { movedFolders } from '../../src/sources/scan/host-folders.ts';
import { projectFolders } from '../../src/sources/scan/roots.ts';

/** Whose settings of a host. */
export type Scope = 'user' | 'project';

export type Platform = 'linux' | 'darwin' | 'win32';

/** A path with `{variables}`, or one for each system. */
export type Location = string | Readonly<Record<Platform, string>>;

/** The machine that hosts run on. */
export interface System {
  readonly platform: Platform;
  /** Absolute. */
  readonly home: string;
  /** The project, absolute. */
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Other systems follow the conventions of Linux. */
export const toPlatform = (name: string): Platform =>
  name === 'darwin' || name === 'win32' ? name : 'linux';

/** This machine, from what the process knows. */
export const toSystem = ({ home, cwd, env }: ProcessEnvironment): System => ({
  platform: toPlatform(process.platform),
  home,
  project: projectFolders({ home, cwd }).at(-1) ?? cwd,
  env,
});

export const platformPaths = ({ platform }: System) => (platform === 'win32' ? win32 : posix);

/** The location as an absolute path. Variables of the environment that hosts honour move it. */
export function pathAt(location: Location, system: System): string {
  const { platform, home, project, env } = system;
  const { join } = platformPaths(system);
  const config = (platform === 'linux' && env.XDG_CONFIG_HOME) || join(home, '.config');
  const appdata = env.APPDATA || join(home, 'AppData', 'Roaming');
  const cline = env.CLINE_DATA_DIR || join(env.CLINE_DIR || join(home, '.cline'), 'data');
  const values: Readonly<Record<string, string>> = {
    ...movedFolders(home, env, join),
    project,
    config,
    appdata,
    /** Where desktop programs keep their settings. */
    apps: { linux: config, darwin: join(home, 'Library', 'Application Support'), win32: appdata }[platform],
    claudeState: env.CLAUDE_CONFIG_DIR || home,
    cline,
    clineServers: env.CLINE_MCP_SETTINGS_PATH || join(cline, 'settings', 'cline_mcp_settings.json'),
  };
  const template = typeof location === 'string' ? location : location[platform];
  return join(template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ''));
}

/** The first location that exists, else the first. */
export function findFirstLocation(locations: readonly Location[], system: System): string {
  const paths = locations.map((location) => pathAt(location, system));
  return paths.find((path) => existsSync(path)) ?? paths[0] ?? '';
}
