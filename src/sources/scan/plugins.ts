/**
 * The folders of skills of Claude Code's plugins: those that are installed and enabled, each in one version. A plugin whose
 * layout is not understood is reported instead (`PluginRoot.remark`).
 *
 * `installed_plugins.json` says where each plugin is, `enabledPlugins` in the settings of user and project whether it is on.
 * Without that file (older versions, copied folders), each plugin of the cache counts in its newest version.
 */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import { readInside, readRegularSync } from '../../base/files/read.ts';
import { isDirectory, isInside } from './real-path.ts';

/** Levels below a folder of plugins that is not a cache. */
const PLUGIN_DEPTH = 6;
/** Bytes of a settings file or manifest; a longer one counts as none. */
const MAX_BYTES = 4 * 2 ** 20;

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
const pathsSchema = z.union([z.string(), z.array(z.string())]).optional();
const manifestSchema = z.object({ skills: pathsSchema });
const marketplaceSchema = z.object({
  plugins: z.array(z.object({ name: z.string(), skills: pathsSchema.catch(undefined) })),
});
const marketplacesSchema = z.record(z.string(), z.object({ installLocation: z.string() }));

export interface PluginRoot {
  /** Absolute. */
  readonly root: string;
  /** What was not understood of the plugin at `root`, whose skills are not read there; absent for a folder of skills. */
  readonly remark?: string;
}

/** In order of path. `claude`: Claude Code's folder at home; `project`: folders of the project, the most specific first. */
export function pluginRoots(claude: string, project: readonly string[]): PluginRoot[] {
  const plugins = join(claude, 'plugins');
  const installed = readJson(() => readOwn(join(plugins, 'installed_plugins.json')), installedSchema);
  if (installed === null) return newestRoots(plugins).map((root) => ({ root }));
  const enabled = enabledPlugins(claude, project);
  return Object.entries(installed.plugins)
    .filter(([id]) => enabled === null || enabled.get(id) === true)
    .flatMap(([id, installations]) => {
      const current = findCurrent(installations, project);
      return current === null ? [] : listRoots(id, current.installPath, plugins);
    })
    .sort((a, b) => (a.root < b.root ? -1 : a.root > b.root ? 1 : 0));
}

/** By id (`plugin@marketplace`); the more specific settings win. Null where no settings mention plugins. */
function enabledPlugins(claude: string, project: readonly string[]): Map<string, boolean> | null {
  const files = [
    () => readOwn(join(claude, 'settings.json')),
    ...project.toReversed().flatMap((folder) => {
      const root = project.findLast((other) => isInside(other, folder)) ?? folder;
      return ['settings.json', 'settings.local.json'].map(
        (name) => () => readInside(root, join(folder, '.claude', name), { maxBytes: MAX_BYTES }),
      );
    }),
  ];
  const all = new Map<string, boolean>();
  let mentioned = false;
  for (const read of files) {
    const plugins = readJson(read, settingsSchema)?.enabledPlugins;
    if (plugins === undefined) continue;
    mentioned = true;
    for (const [id, value] of Object.entries(plugins)) all.set(id, value !== false);
  }
  return mentioned ? all : null;
}

/** The one that counts here: that of this project, else the user's. One of another project never counts. */
function findCurrent(
  installations: readonly Installation[],
  project: readonly string[],
): Installation | null {
  const there = installations
    .filter(({ installPath }) => isAbsolute(installPath) && existsSync(installPath))
    .toSorted((a, b) => (b.lastUpdated ?? '').localeCompare(a.lastUpdated ?? ''));
  const own = there.find(
    ({ projectPath }) => projectPath !== undefined && project.includes(resolve(projectPath)),
  );
  return own ?? there.find(({ projectPath }) => projectPath === undefined) ?? null;
}

/** Manifests of a plugin: Claude Code's, and that of Agent Plugins 1.0, which other hosts read. */
const MANIFESTS = [join('.claude-plugin', 'plugin.json'), 'plugin.json'];

/** `skills` of the plugin, and what its manifests and its entry in the marketplace name in addition; the plugin itself may be a skill. */
function listRoots(id: string, plugin: string, plugins: string): PluginRoot[] {
  const faults: string[] = [];
  const named = MANIFESTS.flatMap((name) => {
    const file = join(plugin, name);
    const manifest = readJson(() => readInside(plugin, file, { maxBytes: MAX_BYTES }), manifestSchema);
    // Other programs have a `plugin.json` as well.
    if (manifest === null && name !== 'plugin.json' && existsSync(file))
      faults.push(`${file} is no manifest that can be read`);
    return manifest?.skills ?? [];
  });
  const paths = [
    ...new Set([...named, ...namedByMarketplace(id, plugins)].map((path) => resolve(plugin, path))),
  ];
  const roots = paths.filter((path) => isInside(plugin, path) && isDirectory(path));
  for (const path of paths)
    if (!roots.includes(path)) faults.push(`it names ${path}, which is no folder of the plugin`);
  const all = [...new Set([join(plugin, 'skills'), ...roots])].filter(isDirectory);
  const first = all.length === 0 ? firstSkill(plugin, 0) : null;
  if (first !== null) faults.push(`nothing names the folder of ${first}`);
  // The plugin is scanned below each root: a folder in another one would be scanned twice.
  const outermost = all.filter((root) => !all.some((other) => other !== root && isInside(other, root)));
  return [
    ...outermost.map((root) => ({ root })),
    ...(faults.length === 0
      ? []
      : [{ root: plugin, remark: `The plugin ${id} is not read as a whole: ${faults.join('; ')}.` }]),
  ];
}

/** Paths in the plugin's entry of its marketplace: with `strict: false` there is no other manifest. */
function namedByMarketplace(id: string, plugins: string): string[] {
  const at = id.lastIndexOf('@');
  const [plugin, marketplace] = [id.slice(0, at), id.slice(at + 1)];
  if (at <= 0 || !isPlainName(marketplace)) return [];
  const known = readJson(() => readOwn(join(plugins, 'known_marketplaces.json')), marketplacesSchema);
  const folder = known?.[marketplace]?.installLocation ?? join(plugins, 'marketplaces', marketplace);
  const file = folder.endsWith('.json') ? folder : join(folder, '.claude-plugin', 'marketplace.json');
  const list = readJson(() => readOwn(file), marketplaceSchema);
  return [list?.plugins.find(({ name }) => name === plugin)?.skills ?? []].flat();
}

const isPlainName = (name: string) => name !== '' && name !== '..' && !/[\\/]/.test(name);

/** Levels of a plugin in which a skill is looked for that nothing names, and folders that are read. */
const SKILL_DEPTH = 3;
const MAX_NAMES = 200;

/** Path of a skill file of the plugin; null if there seems to be none. */
function firstSkill(folder: string, depth: number): string | null {
  const file = join(folder, 'SKILL.md');
  if (existsSync(file)) return file;
  if (depth === SKILL_DEPTH) return null;
  for (const name of folderNames(folder).slice(0, MAX_NAMES)) {
    const found = firstSkill(join(folder, name), depth + 1);
    if (found !== null) return found;
  }
  return null;
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
  return folderNames(directory).flatMap((name) => {
    const path = join(directory, name);
    return name === 'skills' ? [path] : skillsBelow(path, depth + 1);
  });
}

/** In order; empty for a folder that cannot be read. */
function folderNames(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git')
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

/** Of the user: it may be a link to anywhere. */
const readOwn = (file: string) => readRegularSync(file, MAX_BYTES);

/** Null where the file is missing or is not what it should be: then another one counts. */
function readJson<Value>(read: () => Uint8Array, schema: z.ZodType<Value>): Value | null {
  try {
    return schema.parse(JSON.parse(Buffer.from(read()).toString('utf8')));
  } catch {
    return null;
  }
}
