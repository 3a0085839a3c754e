/**
 * The folders of skills of Claude Code's plugins: those that are installed and enabled, each in one version.
 *
 * `installed_plugins.json` says where each plugin is, `enabledPlugins` in the settings of user and project whether it is on.
 * Without that file (older versions, copied folders), each plugin of the cache counts in its newest version.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import { isDirectory, isInside } from './real-path.ts';

/** Levels below a folder of plugins that is not a cache. */
const PLUGIN_DEPTH = 6;

const installationSchema = z.object({
  installPath: z.string(),
  scope: z.string().optional(),
  projectPath: z.string().optional(),
  lastUpdated: z.string().optional(),
});
type Installation = z.infer<typeof installationSchema>;

/** Version 1 holds one installation a plugin, version 2 a list. */
const installedSchema = z.object({
  plugins: z.record(
    z.string(),
    z.union([installationSchema.transform((one) => [one]), z.array(installationSchema)]),
  ),
});
const settingsSchema = z.object({ enabledPlugins: z.record(z.string(), z.unknown()).optional() });
const manifestSchema = z.object({ skills: z.union([z.string(), z.array(z.string())]).optional() });

/** Absolute, in order of path. `claude`: Claude Code's folder at home; `project`: folders of the project, the most specific first. */
export function pluginRoots(claude: string, project: readonly string[]): string[] {
  const plugins = join(claude, 'plugins');
  const installed = readJson(join(plugins, 'installed_plugins.json'), installedSchema);
  if (installed === null) return newestRoots(plugins);
  const enabled = enabledPlugins(claude, project);
  return Object.entries(installed.plugins)
    .filter(([id]) => enabled === null || enabled.get(id) === true)
    .flatMap(([, installations]) => {
      const current = currentOf(installations, project);
      return current === null ? [] : rootsOf(current.installPath);
    })
    .sort();
}

/** By id (`plugin@marketplace`); the more specific settings win. Null where no settings mention plugins. */
function enabledPlugins(claude: string, project: readonly string[]): Map<string, boolean> | null {
  const files = [
    join(claude, 'settings.json'),
    ...project
      .toReversed()
      .flatMap((folder) => [
        join(folder, '.claude', 'settings.json'),
        join(folder, '.claude', 'settings.local.json'),
      ]),
  ];
  const all = new Map<string, boolean>();
  let mentioned = false;
  for (const file of files) {
    const plugins = readJson(file, settingsSchema)?.enabledPlugins;
    if (plugins === undefined) continue;
    mentioned = true;
    for (const [id, value] of Object.entries(plugins)) all.set(id, value !== false);
  }
  return mentioned ? all : null;
}

/** The one that counts here: that of this project, else the user's. One of another project never counts. */
function currentOf(installations: readonly Installation[], project: readonly string[]): Installation | null {
  const there = installations
    .filter(({ installPath }) => isAbsolute(installPath) && existsSync(installPath))
    .toSorted((a, b) => (b.lastUpdated ?? '').localeCompare(a.lastUpdated ?? ''));
  const own = there.find(
    ({ projectPath }) => projectPath !== undefined && project.includes(resolve(projectPath)),
  );
  return own ?? there.find(({ projectPath }) => projectPath === undefined) ?? null;
}

/** `skills` of the plugin, and what its manifest names in addition. */
function rootsOf(plugin: string): string[] {
  const manifest = readJson(join(plugin, '.claude-plugin', 'plugin.json'), manifestSchema);
  const named = [manifest?.skills ?? []].flat().map((path) => resolve(plugin, path));
  return [...new Set([join(plugin, 'skills'), ...named])].filter(
    (root) => root !== plugin && isInside(plugin, root) && isDirectory(root),
  );
}

/** Without a list of what is installed: the cache (`<marketplace>/<plugin>/<version>`), else every plugin below the folder. */
function newestRoots(plugins: string): string[] {
  const cache = join(plugins, 'cache');
  const found = skillsBelow(isDirectory(cache) ? cache : plugins, 0);
  const newest = new Map<string, string>();
  for (const root of found) {
    const version = dirname(root);
    const isVersion = dirname(dirname(dirname(version))) === cache;
    const key = isVersion ? dirname(version) : root;
    const before = newest.get(key);
    if (before === undefined || isNewer(version, dirname(before))) newest.set(key, root);
  }
  return [...newest.values()].sort();
}

/** By version numbers, else by when the folder was made. */
function isNewer(a: string, b: string): boolean {
  const order = basename(a).localeCompare(basename(b), 'en', { numeric: true });
  const numbered = [a, b].every((path) => /^v?\d+\.\d/.test(basename(path)));
  return numbered ? order > 0 : modified(a) > modified(b) || (modified(a) === modified(b) && order > 0);
}

const modified = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function skillsBelow(directory: string, depth: number): string[] {
  if (depth > PLUGIN_DEPTH) return [];
  let names: string[];
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
  return names
    .filter((name) => name !== 'node_modules' && name !== '.git')
    .sort()
    .flatMap((name) => {
      const path = join(directory, name);
      return name === 'skills' ? [path] : skillsBelow(path, depth + 1);
    });
}

/** Null where the file is missing or is not what it should be: then another one counts. */
function readJson<Value>(file: string, schema: z.ZodType<Value>): Value | null {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}
