/** Loads an extension on first use. Keep this file light: every command imports it. */

import type { ProcessEnvironment } from './configured.ts';
import type { Check, Extension, ExtensionEntry, Settings } from './extension-api.ts';

type Listed = Pick<Settings, 'config' | 'extensions'>;

/** What the first enabled extension adds of this kind; undefined where none adds it. */
export async function fromExtension<Kind extends keyof Extension>(
  kind: Kind,
  settings: Listed,
): Promise<Extension[Kind] | undefined> {
  return (await fromExtensions(kind, settings))[0];
}

/** What all enabled extensions add of this kind, in the order of the list. */
export async function fromExtensions<Kind extends keyof Extension>(
  kind: Kind,
  { config, extensions }: Listed,
): Promise<NonNullable<Extension[Kind]>[]> {
  const adding = extensions.filter(
    ({ adds = [], isEnabled = () => true }) => adds.includes(kind) && isEnabled(config),
  );
  const loaded = await Promise.all(adding.map(({ load }) => load?.()));
  return loaded.flatMap((extension) => extension?.[kind] ?? []);
}

/** Names of `--tools`; the first is the default. */
export const profileNames = (extensions: readonly ExtensionEntry[]): readonly [string, ...string[]] => [
  'search-first',
  ...extensions.flatMap(({ profiles = [] }) => profiles),
];

/** The checks of all extensions for `doctor`, in the order of the list. */
export async function checksOfExtensions(
  settings: Settings,
  environment: ProcessEnvironment,
): Promise<readonly Check[]> {
  const adding = settings.extensions.filter(({ adds = [] }) => adds.includes('checks'));
  const extensions = await Promise.all(adding.map(({ load }) => load?.()));
  const checks = extensions.map((extension) => extension?.checks?.(settings, environment) ?? []);
  return (await Promise.all(checks)).flat();
}
