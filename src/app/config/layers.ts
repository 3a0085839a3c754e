/**
 * One configuration of two files: the project's counts before the user's. Sources and pins are concatenated, the project's first;
 * of other settings the project's win, each by itself, and other lists are replaced.
 */

import { dirname, resolve } from 'node:path';
import { checkConfig } from './check.ts';
import { absoluteSource, fromHome } from './files.ts';
import type { FoundFile } from './find.ts';
import { absolutePath, type Override, overridden, PATH_SETTINGS } from './overrides.ts';
import type { Config } from './schema.ts';
import type { ConfiguredSource } from './source-names.ts';
import { type ConfigPath, type ConfigText, readConfigText } from './text.ts';
import { asMapping, type Settings } from './untrusted.ts';

/** A file, or what is used of it. */
export interface Layer extends ConfigText {
  readonly file: string;
  /** Which of the file's sources `value` has. Default: all. */
  readonly kept?: readonly number[];
}

/** Throws `ConfigError` for text that cannot be read. */
export function readLayer({ file, text }: FoundFile): Layer {
  const read = readConfigText(text, file);
  return { ...read, file, value: read.value ?? {} };
}

/** A file by itself, with its paths as they are. Throws `ConfigError` for anything in it that is not allowed. */
export const checkLayer = (layer: Layer, overrides: readonly Override[] = []): Config =>
  checkConfig(layer.value, overrides, layer);

/** From up to two files, the one that wins first. Each has to be valid with the overrides. Throws `ConfigError`. */
export function configOfLayers(
  layers: readonly Layer[],
  overrides: readonly Override[],
  home: string,
): { readonly config: Config; readonly sources: readonly ConfiguredSource[] } {
  const sources = layers.flatMap((layer) => sourcesOfLayer(layer, overrides, home));
  const value = layers.map((layer) => absolute(layer, home)).reduce(merged, undefined);
  const { scripts, ...rest } = checkConfig(value, overrides, layers[0]);
  const folders = scripts.folders.map((path) => resolve(fromHome(path, home)));
  return {
    config: { ...rest, scripts: { ...scripts, folders }, sources: sources.map(({ source }) => source) },
    sources,
  };
}

const sourcesOfLayer = (layer: Layer, overrides: readonly Override[], home: string): ConfiguredSource[] =>
  checkLayer(layer, overrides).sources.map((source, at) => ({
    source: absoluteSource(source, dirname(layer.file), home),
    file: layer.file,
    placeOf: (path) => layer.valueAt(['sources', layer.kept?.[at] ?? at, ...path]),
  }));

function merged(above: unknown, below: unknown): unknown {
  const [upper, lower] = [asMapping(above), asMapping(below)];
  if (upper === null || lower === null) return above === undefined ? below : above;
  const names = [...new Set([...Object.keys(lower), ...Object.keys(upper)])];
  const whole = Object.fromEntries(names.map((name) => [name, merged(upper[name], lower[name])]));
  const pinned = [...pinsIn(upper), ...pinsIn(lower)];
  return pinned.length === 0 ? whole : { ...whole, pinned };
}

const pinsIn = ({ pinned }: Settings): readonly unknown[] => (Array.isArray(pinned) ? pinned : []);

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

const at = (value: unknown, path: ConfigPath): unknown =>
  path.reduce<unknown>(
    (part, step) => (typeof part === 'object' && part !== null ? Reflect.get(part, step) : undefined),
    value,
  );
