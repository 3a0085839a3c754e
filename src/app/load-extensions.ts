/** Loads extensions where something asks for them. Every command starts with this file: it loads no protocol. */

import { EXTENSIONS } from '../../extensions/extensions.ts';
import type { Config } from './config/schema.ts';
import type { ProcessEnvironment } from './configured.ts';
import type { Check, Extension } from './extension.ts';
import type { Settings } from './settings.ts';

/** What the extensions that the configuration asks for add of one kind; undefined where none adds it. */
export async function wanted<Kind extends keyof Extension>(
  kind: Kind,
  config: Config,
): Promise<Extension[Kind] | undefined> {
  for (const { isWanted, load } of EXTENSIONS) {
    if (isWanted?.(config) !== true) continue;
    const added = (await load())[kind];
    if (added !== undefined) return added;
  }
  return undefined;
}

/** Names of `--tools`; the first is the default. */
export const PROFILE_NAMES: readonly string[] = [
  'search-first',
  ...EXTENSIONS.flatMap(({ profiles = [] }) => profiles),
];

/** The checks of all extensions for `doctor`, in the order of the list. */
export async function checksOfExtensions(
  settings: Settings,
  environment: ProcessEnvironment,
): Promise<readonly Check[]> {
  const extensions = await Promise.all(EXTENSIONS.map(({ load }) => load()));
  const checks = extensions.map(({ checks }) => checks?.(settings, environment) ?? []);
  return (await Promise.all(checks)).flat();
}
