/** The work of an open catalog: its library, which follows the sources and folders, and the gateways over it. */

import type { Library } from '../catalog/library.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { catalogPipeline } from '../gateway/pipeline.ts';
import type { Principal } from '../gateway/policy/principal.ts';
import type { CatalogOptions, OpenCatalog, OpenSources } from './catalog.ts';
import { fetchBeforeFirstIndex, followSources, reportLate, warming, watch } from './freshness.ts';
import { missingNote } from './missing-note.ts';
import { openLibrary } from './open-library.ts';
import type { Settings } from './settings.ts';
import { isThere, missingFolders } from './source-settings.ts';

interface RunningCatalog extends Pick<OpenCatalog, 'notReady' | 'changes' | 'close'> {
  readonly library: Promise<Library>;
  gateway(principal: Principal): Promise<Gateway>;
}

/** Failures surface with the first call that needs what failed. `ending` aborts before `close`. */
export function runCatalog(
  settings: Settings,
  sources: OpenSources,
  options: CatalogOptions,
  ending: AbortSignal,
): RunningCatalog {
  const { policy, log, onProgress } = options;
  logMissing(settings, log);
  const opened = fetchBeforeFirstIndex(sources, settings, log, ending).then(() =>
    openLibrary(settings, { log, onProgress, sources: sources.all, inBackground: true, orWordsOnly: true }),
  );
  let library: Library | null = null;
  const reporting = opened.then((open) => {
    library = open;
    return reportLate(open.changes, log);
  });
  const following = opened.then((open) => followSources(sources, open, log, options.onSource));
  // Announces the watch to the library before `warming` makes its first call.
  const watching = opened.then((open) => watch(open, settings, log, ending));
  const notReady = warming(opened, { log, signal: ending });
  const gateways = opened.then((open) =>
    catalogPipeline({ library: open, learning: open.learning, policy, note: missingNote(settings) }),
  );
  // Until a call needs them, failures must not end the process.
  for (const promise of [reporting, following, watching, gateways]) promise.catch(() => {});
  return {
    library: opened,
    notReady,
    changes: () => library?.changes.status() ?? null,
    gateway: async (principal) => (await gateways)(principal),
    async close() {
      (await reporting.catch(() => null))?.();
      await (await following.catch(() => null))?.();
      // Closing the library stops a run of indexing; the next run continues with what it finished.
      await (await opened.catch(() => null))?.close();
      (await watching.catch(() => null))?.();
    },
  };
}

function logMissing(settings: Settings, log: CatalogOptions['log']): void {
  if (!settings.sources.some(isThere))
    log(
      'There are no skill folders yet, here or at home. .claude/skills and .agents/skills are served once they exist; --skills DIR names other folders.',
    );
  for (const missing of missingFolders(settings)) log(`${missing} It is served once it exists.`);
}
