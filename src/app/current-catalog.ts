/** The catalog that a server answers from now: its own, or that of the folders that its client has open. */

import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '../base/errors.ts';
import type { ServedLibrary } from '../catalog/library.ts';
import type { ChangeStatus } from '../catalog/schedule.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Principal } from '../gateway/policy/principal.ts';
import type { Scripts } from '../gateway/scripts.ts';
import type { CatalogOptions, OpenCatalog } from './catalog.ts';
import type { ProcessEnvironment } from './configured.ts';
import { fromExtension } from './load-extensions.ts';
import { openCatalog } from './open-catalog.ts';
import { type Settings, settingsOfProjects } from './settings.ts';

export class CurrentCatalog {
  readonly #settings: Settings;
  readonly #environment: ProcessEnvironment;
  #opened: { readonly first: OpenCatalog; readonly options: CatalogOptions } | null = null;
  #current: Promise<OpenCatalog> | null = null;

  constructor(settings: Settings, environment: ProcessEnvironment) {
    this.#settings = settings;
    this.#environment = environment;
  }

  /** Call once, before anything else but what is for telemetry. */
  async open(options: CatalogOptions): Promise<OpenCatalog> {
    const first = await openAny(this.#settings, options);
    this.#opened = { first, options };
    this.#current = Promise.resolve(first);
    return first;
  }

  now = (): Promise<OpenCatalog> =>
    this.#current ?? Promise.reject(new Error('The catalog has not been opened.'));

  gateway = async (principal: Principal): Promise<Gateway> => (await this.now()).gateway(principal);

  library = async (): Promise<ServedLibrary> => (await this.now()).opened;

  /** Rejects where scripts are disabled. */
  scripts = async (): Promise<Scripts> => {
    const { scripts } = await this.now();
    return scripts ?? Promise.reject(new Error('Scripts are enabled, and the catalog has none.'));
  };

  /** What the index holds now, for metrics; null while none is open. */
  contents = async () => {
    const { notReady, opened } = (await this.#current) ?? {};
    if (opened === undefined || notReady?.() !== null) return null;
    const library = await opened;
    const { reader } = await library.current();
    return { generation: reader.manifest.generation, skills: reader.documents, watched: library.isWatched };
  };

  sourceStatus = () => this.#opened?.first.sources.fetched.map((source) => source.status()) ?? [];

  /** Changes of the folders, and which of them are served; null where others see them. */
  changes = (): ChangeStatus | null => this.#opened?.first.changes() ?? null;

  /** How long a shared catalog may have been out of date, ms. */
  staleMs = (): number => this.#opened?.first.staleMs?.() ?? 0;

  /** Goes on with the catalog of the client's folders where none are named. Never rejects. */
  useFolders(asked: Promise<readonly string[]>): void {
    this.#current = this.#ofFolders(this.now(), asked);
  }

  /** The server will end: others write a shared catalog from now on. */
  retire = (): void => this.#opened?.first.retire?.();

  async close(): Promise<void> {
    await (await this.#current)?.close();
  }

  async #ofFolders(before: Promise<OpenCatalog>, asked: Promise<readonly string[]>): Promise<OpenCatalog> {
    // Both at once: a rejection that no one awaits yet would end the process.
    const [old, folders] = await Promise.all([before, asked.catch(errorMessage)]);
    const options = this.#opened?.options;
    if (options === undefined) return old;
    if (typeof folders === 'string') {
      options.log(`The client did not name its folders: ${folders}`);
      return old;
    }
    const own = settingsOfProjects(this.#settings, folders, this.#environment);
    if (own === null || isDeepStrictEqual(own.roots, old.roots)) return old;
    const next = await openAny(own, options);
    await old.close();
    return next;
  }
}

async function openAny(settings: Settings, options: CatalogOptions): Promise<OpenCatalog> {
  const shared = await fromExtension('shared', settings);
  return shared === undefined ? openCatalog(settings, options) : shared.catalog(settings, options);
}
