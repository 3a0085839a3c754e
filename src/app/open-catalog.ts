/** One open catalog of a server: its sources, library, watch, gateways and scripts. A client's folders may replace it. */

import { untilAborted } from '../base/timing.ts';
import type { ServedLibrary } from '../catalog/library.ts';
import type { Scripts } from '../gateway/scripts.ts';
import type { CatalogOptions, OpenCatalog } from './catalog.ts';
import { fromExtension } from './load-extensions.ts';
import { openSources } from './open-sources.ts';
import type { Settings } from './settings.ts';

/**
 * With `begin`, resolves before anything is looked at: the code of the catalog, which takes longer to load than the protocol's, is
 * loaded when it begins.
 */
export async function openCatalog(settings: Settings, options: CatalogOptions): Promise<OpenCatalog> {
  const { begin, environment } = options;
  const sources = await openSources(settings, environment);
  const ending = new AbortController();
  const run = async () => {
    const { runCatalog } = await import('./run-catalog.ts');
    return runCatalog(settings, sources, options, ending.signal);
  };
  const running =
    begin === undefined ? Promise.resolve(await run()) : untilAborted(begin, ending.signal).then(run);
  let current: Awaited<typeof running> | null = null;
  const opened = running.then((catalog) => {
    current = catalog;
    return catalog.library;
  });
  const scripts = openScriptsIfOn(settings, options, opened);
  // Until a call needs them, failures must not end the process.
  for (const promise of [opened, scripts]) promise?.catch(() => {});
  return {
    roots: settings.roots,
    sources,
    opened,
    scripts,
    notReady: () => (current === null ? 'The index is being opened.' : current.notReady()),
    changes: () => current?.changes() ?? null,
    gateway: async (principal) => (await running).gateway(principal),
    async close() {
      ending.abort();
      await (await scripts?.catch(() => null))?.close();
      await (await running.catch(() => null))?.close();
      await sources.close();
    },
  };
}

/** Tells those who ask that what they get may be old. */
export const staleNote = (staleMs: number): string =>
  `The catalog may have changed: its store has not answered for ${Math.round(staleMs / 1_000)} s.`;

/** Undefined where scripts are disabled. */
export function openScriptsIfOn(
  settings: Settings,
  { environment, policy, audit }: CatalogOptions,
  opened: Promise<ServedLibrary>,
): Promise<Scripts> | undefined {
  const { config } = settings;
  if (!config.scripts.enabled) return undefined;
  return Promise.all([fromExtension('scripts', settings), opened]).then(([scripts, library]) => {
    if (scripts === undefined) throw new Error('Scripts are enabled, and nothing runs them.');
    return scripts.open({ config, library, policy, environment, audit });
  });
}
