/** One open catalog of a server: its sources, library, watch, gateways and scripts. A client's folders may replace it. */

import type { ScriptHooks } from '../../extensions/scripts/open-scripts.ts';
import type { Scripts } from '../../extensions/scripts/scripts.ts';
import type { ServedLibrary } from '../catalog/library.ts';
import { inOwnThread } from '../gateway/file-work.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { gatewaysFor } from '../gateway/gateway-per-grants.ts';
import { withLearning } from '../gateway/learning.ts';
import type { Policy } from '../gateway/policy/policy.ts';
import type { Principal } from '../gateway/policy/principal.ts';
import { LOCAL } from '../gateway/policy/principal.ts';
import { fetchBeforeFirstIndex, followSources } from './freshness.ts';
import { missingFolders } from './named-folders.ts';
import { type OpenLibraryOptions, openLibrary } from './open-library.ts';
import { type OpenSources, openSources } from './open-sources.ts';
import { isThere, type ProcessEnvironment, type Settings } from './settings.ts';
import { warming } from './warming.ts';
import { watch } from './watch.ts';

export interface CatalogOptions {
  readonly environment: Pick<ProcessEnvironment, 'env'>;
  readonly policy: Policy;
  readonly log: (message: string) => void;
  readonly onProgress: NonNullable<OpenLibraryOptions['onProgress']>;
  readonly audit: NonNullable<ScriptHooks['audit']>;
  /** Called when a source moved to another version. */
  readonly onSource: NonNullable<Parameters<typeof followSources>[3]>;
}

export interface OpenCatalog {
  readonly settings: Settings;
  readonly sources: OpenSources;
  readonly opened: Promise<ServedLibrary>;
  gateway(principal: Principal): Promise<Gateway>;
  /** Undefined where scripts are disabled: then no answer mentions them. */
  readonly scripts: Promise<Scripts> | undefined;
  /** Why calls cannot be answered yet; null if they can. */
  notReady(): string | null;
  /** How long a shared catalog may have been out of date, ms; 0 while it is new. Absent where it is not shared. */
  readonly staleMs?: () => number;
  close(): Promise<void>;
}

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
  const following = opened.then((library) => followSources(sources, library, log, options.onSource));
  const paths = settings.roots.map(({ root }) => root);
  // Announces the watch to the library before `warming` makes its first call.
  const watching = opened.then((library) => watch(library, paths, log, ending.signal));
  const notReady = warming(opened, { log, signal: ending.signal });
  const gateways = opened.then((library) => {
    const gatewayFor = gatewaysFor(library, policy, workOnFiles());
    return (principal: Principal) => withLearning(gatewayFor(principal), principal.id, library.learning);
  });
  const scripts = scriptsOf(settings, options, opened);
  // Until a call needs them, failures must not end the process.
  for (const promise of [following, watching, gateways, scripts]) promise?.catch(() => {});
  return {
    settings,
    sources,
    opened,
    scripts,
    notReady,
    gateway: async (principal) => {
      const gateway = (await gateways)(principal);
      return principal.id === LOCAL.id ? namingWhatIsMissing(gateway, settings) : gateway;
    },
    async close() {
      ending.abort();
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

/** Large files are read in a thread of their own, which needs the built worker next to this file. */
export const workOnFiles = () =>
  import.meta.url.endsWith('.js') ? { work: inOwnThread(new URL('./file-worker.js', import.meta.url)) } : {};

/** Tells those who ask that what they get may be old. */
export const staleNote = (staleMs: number): string =>
  `The catalog may have changed: its store has not answered for ${Math.round(staleMs / 1_000)} s.`;

/** The user of this machine is warned in each answer; others must not see its paths. */
export const namingWhatIsMissing = (gateway: Gateway, settings: Settings): Gateway =>
  withNote(gateway, () => [...settings.notices, ...missingFolders(settings)].join(' '));

/** Adds a note to what the answers of searches say; '' adds none. */
export const withNote = (gateway: Gateway, noteNow: () => string): Gateway => ({
  ...gateway,
  async search(request) {
    const answer = await gateway.search(request);
    const note = [answer.retrieval.note ?? '', noteNow()].filter((part) => part !== '').join(' ');
    return note === '' ? answer : { ...answer, retrieval: { ...answer.retrieval, note } };
  },
});

/** Undefined where scripts are disabled. */
export function scriptsOf(
  { config }: Settings,
  { environment, policy, audit }: CatalogOptions,
  opened: Promise<ServedLibrary>,
): Promise<Scripts> | undefined {
  if (!config.scripts.enabled) return undefined;
  return opened.then(async (library) => {
    const { openScriptsFor } = await import('../../extensions/scripts/open-scripts.ts');
    return openScriptsFor(config, library, policy, environment, { audit });
  });
}
