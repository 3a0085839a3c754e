/**
 * One configuration of two files: the project's counts before the user's. Sources and pins are concatenated, the project's first;
 * of other settings the project's win, each by itself, and other lists are replaced.
 */

import { dirname, resolve } from 'node:path';
import { type ConfigReading, checkConfig } from './check.ts';
import { absoluteSource, fromHome } from './files.ts';
import type { FoundFile } from './find.ts';
import { absolutePath, type Override, overridden, PATH_SETTINGS } from './overrides.ts';
import { type ConfigPath, type ConfigText, readConfigText } from './text.ts';
import { asMapping, type Settings } from './untrusted.ts';

/** A file, or what is used of it. */
export interface Layer extends ConfigText {
  readonly file: string;
  /** Which of the file's sources `value` has. Default: all. */
  readonly kept?: readonly number[];
}

export interface LayeredReading extends ConfigReading {
  /** The file of each source. */
  readonly origins: readonly string[];
}

/** Throws `ConfigError` for text that cannot be read. */
export function readLayer({ file, text }: FoundFile): Layer {
  const read = readConfigText(text, file);
  return { ...read, file, value: read.value ?? {} };
}

/** One file by itself, with its paths as they are. Throws `ConfigError` for anything in it that is not allowed. */
export const checkLayer = (
  { value, valueAt, keyAt }: Layer,
  overrides: readonly Override[] = [],
): ConfigReading => checkConfig(value, overrides, valueAt, keyAt);

/** From one or two layers, the one that wins first. Paths become absolute. Throws `ConfigError`. */
export function configOfLayers(
  layers: readonly [Layer, ...Layer[]],
  overrides: readonly Override[],
  home: string,
): LayeredReading {
  const [top, below] = layers;
  // Each file is valid by itself: their problems have a place in one of them.
  if (below !== undefined) for (const layer of layers) checkLayer(layer);
  const value = layers.map((layer) => absolute(layer, home)).reduce(merged);
  const owners = layers.flatMap((layer) => sourcesIn(layer.value).map((_, at) => ({ layer, at })));
  const findOwner = (path: ConfigPath): { layer: Layer; path: ConfigPath } => {
    const [section, at, ...rest] = path;
    const owner = section === 'sources' && typeof at === 'number' ? owners[at] : undefined;
    if (owner === undefined) return { layer: layers.find((layer) => has(layer.value, path)) ?? top, path };
    return { layer: owner.layer, path: ['sources', owner.layer.kept?.[owner.at] ?? owner.at, ...rest] };
  };
  const valueAt = (path: ConfigPath) => {
    const owner = findOwner(path);
    return owner.layer.valueAt(owner.path);
  };
  const keyAt = (path: ConfigPath) => {
    const owner = findOwner(path);
    return owner.layer.keyAt(owner.path);
  };
  const { config, placeOf } = checkConfig(value, overrides, valueAt, keyAt);
  const origins = config.sources.map((_, at) => owners[at]?.layer.file ?? top.file);
  const sources = config.sources.map((source, at) =>
    absoluteSource(source, dirname(origins[at] ?? top.file), home),
  );
  const folders = config.scripts.folders.map((path) => resolve(fromHome(path, home)));
  return {
    config: { ...config, scripts: { ...config.scripts, folders }, sources },
    placeOf,
    origins,
  };
}

function merged(above: unknown, below: unknown): unknown {
  const [upper, lower] = [asMapping(above), asMapping(below)];
  if (upper === null || lower === null) return above === undefined ? below : above;
  const names = [...new Set([...Object.keys(lower), ...Object.keys(upper)])];
  const whole = Object.fromEntries(names.map((name) => [name, merged(upper[name], lower[name])]));
  const both = (name: 'sources' | 'pinned') => {
    const items = [...listIn(upper, name), ...listIn(lower, name)];
    return items.length === 0 ? {} : { [name]: items };
  };
  return { ...whole, ...both('sources'), ...both('pinned') };
}

/** Paths of a file start at its folder: they become absolute before they mix with those of the other. */
function absolute({ value, file }: Layer, home: string): unknown {
  const from = { where: file, line: null, column: null };
  const overrides = PATH_SETTINGS.flatMap((name): Override[] => {
    const path = name.split('.');
    const text = at(value, path);
    return typeof text === 'string'
      ? [{ path, value: absolutePath(name, text, dirname(file), home), from }]
      : [];
  });
  return overridden(value, overrides);
}

const sourcesIn = (value: unknown) => listIn(asMapping(value), 'sources');

function listIn(value: Settings | null, name: 'sources' | 'pinned'): readonly unknown[] {
  const list = value?.[name];
  return Array.isArray(list) ? list : [];
}

const at = (value: unknown, path: ConfigPath): unknown =>
  path.reduce<unknown>(
    (part, step) => (typeof part === 'object' && part !== null ? Reflect.get(part, step) : undefined),
    value,
  );

const has = (value: unknown, path: ConfigPath) => at(value, path) !== undefined;
