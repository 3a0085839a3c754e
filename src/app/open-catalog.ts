/** One open catalog of a server: its sources, library, watch, gateways and scripts. A client's folders may replace it. */

import type { Library, ServedLibrary } from '../catalog/library.ts';
import { type CatalogPipeline, catalogPipeline } from '../gateway/pipeline.ts';
import { LOCAL } from '../gateway/policy/principal.ts';
import type { Scripts } from '../gateway/scripts.ts';
import type { CatalogOptions, OpenCatalog } from './catalog.ts';
import { fetchBeforeFirstIndex, followSources, reportLate, watch } from './freshness.ts';
import { wanted } from './load-extensions.ts';
import { openLibrary } from './open-library.ts';
import { openSources } from './open-sources.ts';
import type { Settings } from './settings.ts';
import { isThere, missingFolders } from './source-settings.ts';
import { warming } from './warming.ts';

/** Opens while the first calls arrive; failures surface with the first call that needs what failed. */
export async function openCatalog(settings: Settings, options: CatalogOptions): Promise<OpenCatalog> {
  const { environment, policy, log, onProgress } = options;
  if (!settings.sources.some(isThere))
    log(
      'There are no skill folders yet, here or at home. .claude/skills and .agents/skills are served once they exist; --skills DIR names other folders.',
    );
  for (const missing of missingFolders(settings)) log(`${missing} It is served once it exists.`);
  const sources = await openSources(settings, environment);
  const ending = new AbortController();
  const opened = fetchBeforeFirstIndex(sources, settings, log, ending.signal).then(() =>
    openLibrary(settings, { log, onProgress, sources: sources.all, inBackground: true, orWordsOnly: true }),
  );
  let library: Library | null = null;
  const reporting = opened.then((open) => {
    library = open;
    return reportLate(open.changes, log);
  });
  const following = opened.then((library) => followSources(sources, library, log, options.onSource));
  // Announces the watch to the library before `warming` makes its first call.
  const watching = opened.then((library) => watch(library, settings.roots, log, ending.signal));
  const notReady = warming(opened, { log, signal: ending.signal });
  const gateways = opened.then((library) =>
    catalogPipeline({ library, policy, note: missingNote(settings) }),
  );
  const scripts = scriptsOf(settings, options, opened);
  // Until a call needs them, failures must not end the process.
  for (const promise of [reporting, following, watching, gateways, scripts]) promise?.catch(() => {});
  return {
    settings,
    sources,
    opened,
    scripts,
    notReady,
    changes: () => library?.changes.status() ?? null,
    gateway: async (principal) => (await gateways)(principal),
    async close() {
      ending.abort();
      (await reporting.catch(() => null))?.();
      await (await following.catch(() => null))?.();
      await (await scripts?.catch(() => null))?.close();
      // Closing the library stops a run of indexing; the next run continues with what it finished.
      await (await opened.catch(() => null))?.close();
      const stop = await watching.catch(() => null);
      stop?.();
      await sources.close();
    },
  };
}

/** Tells those who ask that what they get may be old. */
export const staleNote = (staleMs: number): string =>
  `The catalog may have changed: its store has not answered for ${Math.round(staleMs / 1_000)} s.`;

/** The user of this machine is warned in each answer; others must not see its paths. */
export const missingNote =
  (settings: Settings): CatalogPipeline['note'] =>
  ({ id }) =>
    id === LOCAL.id ? [...settings.notices, ...missingFolders(settings)].join(' ') : '';

/** Undefined where scripts are disabled. */
export function scriptsOf(
  { config }: Settings,
  { environment, policy, audit }: CatalogOptions,
  opened: Promise<ServedLibrary>,
): Promise<Scripts> | undefined {
  if (!config.scripts.enabled) return undefined;
  return Promise.all([wanted('scripts', config), opened]).then(([scripts, library]) => {
    if (scripts === undefined) throw new Error('Scripts are enabled, and nothing runs them.');
    return scripts.open({ config, library, policy, environment, audit });
  });
}
