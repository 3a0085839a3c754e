/**
 * What is done to the index while it is served: it is brought in line with the folders, taken up, tidied up. When that
 * is due and what a call waits for is others' affair.
 */

import { IndexError, type Reader } from '#index';
import { type CatalogSnapshot, readCatalog } from '../catalog/catalog.ts';
import { readPart } from '../catalog/part.ts';
import { generationOf } from '../indexing/damage.ts';
import { isInLine } from '../indexing/in-line.ts';
import { knownOf, runPart, tidyUp } from '../indexing/part.ts';
import type { IndexReport } from '../indexing/report.ts';
import { runIndexing } from '../indexing/run.ts';
import type { Upkeep } from '../indexing/upkeep.ts';
import type { LibraryOptions } from './library.ts';
import type { Schedule } from './schedule.ts';
import type { Snapshots } from './snapshots.ts';

export class Maintenance {
  readonly #options: LibraryOptions & { readonly patienceMs: number };
  readonly #snapshots: Snapshots;
  readonly #schedule: Schedule;
  readonly #closing = new AbortController();
  #running: Promise<IndexReport> | null = null;
  /** Never rejects. */
  #tidying: Promise<void> | null = null;
  /** Told since the last look that went well. */
  readonly #complaints = new Set<string>();

  constructor(
    options: LibraryOptions & { readonly patienceMs: number },
    snapshots: Snapshots,
    schedule: Schedule,
  ) {
    this.#options = options;
    this.#snapshots = snapshots;
    this.#schedule = schedule;
  }

  /** The indexing run under way. */
  get running(): Promise<IndexReport> | null {
    return this.#running;
  }

  /** Whether the index is being tidied up, which looks wait for. */
  get isTidying(): boolean {
    return this.#tidying !== null;
  }

  /** Indexes the catalog as it is, or as it was read just now; or joins the run under way. */
  run(catalog: CatalogSnapshot | null = null): Promise<IndexReport> {
    this.#running ??= this.#index(catalog).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Ends all work: what is under way is given up once its crew is. */
  close(): void {
    this.#closing.abort();
  }

  get #reader(): Reader | null {
    return this.#snapshots.current;
  }

  /** Looks at what changed, one call at a time, and indexes it. Never rejects: the present snapshot answers on. */
  async look(): Promise<void> {
    try {
      do {
        const paths = this.#schedule.take();
        // A run that began before this look may have missed what it will find; neither can write beside it.
        await this.#running?.catch(() => {});
        await this.#tidying;
        await this.#adopt();
        if (paths !== null && (await this.#lookAt(paths))) continue;
        await this.#lookAtAll();
      } while (this.#schedule.hasMore);
      this.#complaints.clear();
    } catch (error) {
      this.#schedule.giveBack();
      this.#complain('The skills could not be checked for changes', error);
    } finally {
      this.#schedule.end();
    }
  }

  /** Brings the index up to date with what is at these paths; false where that takes a look at everything. */
  async #lookAt(paths: readonly string[], again = true): Promise<boolean> {
    const { sources, qualifyIds, directory } = this.#options;
    this.#schedule.begin('paths');
    const reader = this.#reader;
    const part = reader === null ? null : readPart(sources, paths, knownOf(reader), qualifyIds);
    if (reader === null || part === null) return false;
    if (part.folders.length + part.known.length === 0) return true;
    const report = await runPart(part, reader, this.#options);
    if (report === null) {
      // Another process came first, and where it looks after the same folders there is nothing left to do.
      if (!again || generationOf(directory) === reader.manifest.generation) return false;
      await this.#adopt();
      return this.#lookAt(paths, false);
    }
    await this.#adopt();
    if (report.untidy) this.#tidy();
    return true;
  }

  async #lookAtAll(): Promise<void> {
    const { sources, now, directory, vectors, qualifyIds, upkeep, patienceMs } = this.#options;
    const started = now();
    this.#schedule.begin('everything');
    const reader = this.#reader;
    if (upkeep !== undefined && reader !== null && this.#schedule.expectedMs(reader.documents) > patienceMs) {
      const changed = await this.#elsewhere(upkeep);
      if (!changed) this.#schedule.measured(now() - started);
      return;
    }
    const catalog = await readCatalog(sources, this.#closing.signal, qualifyIds);
    this.#schedule.measured(now() - started);
    const manifest = this.#reader?.manifest;
    if (manifest === undefined || !(await isInLine(directory, manifest, catalog, vectors)))
      await this.run(catalog);
  }

  /** Has the index brought up to date in another thread; whether anything had changed. */
  async #elsewhere(upkeep: Upkeep): Promise<boolean> {
    const { onProgress = () => {} } = this.#options;
    const report = await upkeep.run(onProgress);
    await this.#adopt();
    return report !== null;
  }

  /** Takes up what was committed here or by another process; what of it cannot be served is made again. */
  async #adopt(): Promise<void> {
    // Where nothing answers, the next call opens or makes it.
    if (this.#reader === null) return;
    try {
      this.#snapshots.adopt();
    } catch (error) {
      if (!(error instanceof IndexError)) throw error;
      this.#complain('The index is made again', error);
      await this.run();
    }
  }

  /** Merges segments and builds the graph, after the change that calls for it is in force. */
  #tidy(): void {
    this.#tidying = tidyUp(this.#options)
      .then(() => this.#snapshots.adopt())
      .catch((error: unknown) => {
        this.#schedule.giveBack();
        this.#complain('The index could not be tidied up', error);
      })
      .finally(() => {
        this.#tidying = null;
      });
  }

  /** Once, until a look goes well. */
  #complain(of: string, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const complaint = `${of}: ${error instanceof Error ? error.message : String(error)}`;
    if (!this.#complaints.has(complaint)) this.#options.log(complaint);
    this.#complaints.add(complaint);
  }

  /** Of the catalog as it is, or as it was read just now. */
  async #index(read: CatalogSnapshot | null): Promise<IndexReport> {
    const { sources, onProgress, ...options } = this.#options;
    await this.#tidying;
    await this.#snapshots.discardDamaged();
    onProgress?.({ stage: 'scan', done: 0, total: 1 });
    const catalog = read ?? (await readCatalog(sources, this.#closing.signal, options.qualifyIds));
    onProgress?.({ stage: 'scan', done: 1, total: 1 });
    const report = await runIndexing(catalog, {
      ...options,
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    this.#schedule.begin('everything');
    this.#snapshots.adopt();
    return report;
  }
}
