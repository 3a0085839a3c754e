/**
 * What all fetched sources share: one fetch at a time, its time limit, the lockfile's pin, reported failures, and
 * skills that stay while their origin is away. A kind of source says only how to fetch.
 */

import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { Diagnostic, ReadableFile } from '../../../src/app/extension-api.ts';
import { errorMessage } from '../../../src/base/errors.ts';
import { LONGEST_DELAY_MS, untilAborted } from '../../../src/base/timing.ts';
import { diagnose } from '../../../src/skills/diagnostics.ts';
import type { FetchedSource, FetchOptions, SourceStatus } from '../../../src/sources/fetched.ts';
import { localSource } from '../../../src/sources/local.ts';
import { findRealPath } from '../../../src/sources/scan/real-path.ts';
import type { Scan, Source, SourceOrigin } from '../../../src/sources/source.ts';
import type { Contents } from './contents.ts';
import { FetchError } from './fetch-error.ts';
import { FetchedFolder } from './fetched-folder.ts';
import { IncomingContents } from './incoming.ts';

/** What a kind of source provides. */
export interface Origin {
  readonly kind: SourceStatus['kind'];
  /** Where it is, for people: without credentials. */
  readonly origin: string;
  /** Everything that decides what is fetched, without credentials. If it changes, earlier contents are dropped. */
  readonly key: readonly string[];
  /** Texts that no message may contain. */
  readonly secrets: readonly string[];
  /** Null if the origin still has what `incoming.last` holds. Rejects if the fetch fails. */
  fetch(incoming: IncomingContents): Promise<Contents | null>;
  /** Files of a skill that are read from the origin when they are needed. `memory` is that of the skill's folder, from the fetch. */
  filesElsewhere?(memory: string): readonly ReadableFile[];
  /** Ends connections to the origin. */
  close?(): Promise<void>;
}

/** A fetch that is under way. */
interface Run {
  readonly controller: AbortController;
  readonly done: Promise<boolean>;
  /** Callers that wait for it. */
  waiting: number;
}

/** Abort reason of a fetch that no caller waits for any more. It is never reported. */
const ABANDONED = Symbol('abandoned');

export class CachedSource implements FetchedSource {
  readonly name: string;
  readonly origin: SourceOrigin;
  readonly refreshMs: number;
  readonly requests: string | undefined;
  readonly #options: FetchOptions;
  readonly #origin: Origin;
  readonly #folder: FetchedFolder;
  readonly #files: Source;
  /** The last failure, if it could not be saved either. */
  #unsavedFailure: string | null = null;
  #run: Run | null = null;
  #known: { readonly resolved: string | null; readonly memory: Contents['memory'] } | null = null;
  /** The last work on the tree, settled or not. */
  #treeWork: Promise<unknown> = Promise.resolve();

  constructor(options: FetchOptions, origin: Origin) {
    const { name, refreshMs, cacheFolder, now } = options;
    this.name = name;
    this.refreshMs = refreshMs;
    this.requests = options.requests;
    this.#options = options;
    this.#origin = origin;
    this.origin = origin.filesElsewhere === undefined ? 'fetched' : 'elsewhere';
    const key = createHash('sha256')
      .update(JSON.stringify([origin.kind, ...origin.key]))
      .digest('hex');
    this.#folder = new FetchedFolder(cacheFolder, name, key, now);
    this.#files = localSource({ name, root: this.#folder.root, links: 'none' });
  }

  status(): SourceStatus {
    const state = this.#folder.state();
    return {
      name: this.name,
      kind: this.#origin.kind,
      origin: this.#origin.origin,
      resolved: state?.resolved ?? null,
      verifiedAt: state?.verifiedAt ?? null,
      failure: this.#unsavedFailure ?? state?.failure ?? null,
    };
  }

  async scan(signal?: AbortSignal): Promise<Scan> {
    signal?.throwIfAborted();
    // A scan in the middle of a change would see neither the old tree nor the new one.
    await this.#treeWork;
    const status = this.status();
    if (status.resolved === null) return { folders: [], diagnostics: [unfetched(status)] };
    const { folders, diagnostics } = await this.#files.scan(signal);
    const skipped = this.#folder.state()?.diagnostics ?? [];
    return { folders, diagnostics: [...stale(status), ...skipped, ...diagnostics] };
  }

  async filesOf(folder: string): Promise<readonly ReadableFile[]> {
    await this.#treeWork;
    const files = await this.#files.filesOf(folder);
    const memory = this.#origin.filesElsewhere && this.#memory()[below(this.#folder.root, folder)];
    if (files.length === 0 || memory === undefined) return files;
    const elsewhere = this.#origin.filesElsewhere?.(memory) ?? [];
    const standIns = elsewhere.filter(({ standIn }) => standIn);
    const others = files.filter(({ path }) => !standIns.some((file) => file.path === path));
    return [...standIns, ...others, ...elsewhere.filter(({ standIn }) => !standIn)];
  }

  /** That of the contents on disk, which another process may have fetched. */
  #memory(): Contents['memory'] {
    const resolved = this.#folder.state()?.resolved ?? null;
    if (this.#known?.resolved !== resolved)
      this.#known = { resolved, memory: this.#folder.contents()?.memory ?? {} };
    return this.#known.memory;
  }

  async refresh(signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    while (this.#run?.controller.signal.reason === ABANDONED) await this.#run.done;
    this.#run ??= this.#start();
    const run = this.#run;
    run.waiting += 1;
    try {
      return await untilAborted(run.done, signal);
    } finally {
      run.waiting -= 1;
      if (run.waiting === 0 && signal?.aborted) run.controller.abort(ABANDONED);
    }
  }

  async close(): Promise<void> {
    this.#run?.controller.abort(ABANDONED);
    await this.#run?.done;
    await this.#origin.close?.();
  }

  #start(): Run {
    const controller = new AbortController();
    const { timeoutMs } = this.#options;
    const timer = setTimeout(
      () => controller.abort(timedOut(timeoutMs)),
      Math.min(timeoutMs, LONGEST_DELAY_MS),
    );
    const done = this.#fetch(controller.signal).finally(() => {
      clearTimeout(timer);
      this.#run = null;
    });
    return { controller, done, waiting: 0 };
  }

  /** Resolves to whether the tree changed. Failures are saved. */
  async #fetch(signal: AbortSignal): Promise<boolean> {
    let changed = false;
    try {
      const before = this.#folder.state();
      await this.#folder.withLock(signal, async () => {
        const state = this.#folder.state();
        if (state !== null && state.failure === null && state.verifiedAt !== before?.verifiedAt) {
          // Another process fetched while this one waited for the lock.
          changed = state.resolved !== before?.resolved;
          return;
        }
        const { contents: last, repaired } = await this.#onTree(this.#folder.repair());
        changed = repaired;
        const fetched = await this.#fetchFrom(last, signal);
        const contents = fetched ?? last;
        if (contents === null) throw new FetchError('It returned nothing.');
        if (fetched !== null) changed = (await this.#onTree(this.#folder.commit(fetched))) || changed;
        this.#saveSuccess(contents);
      });
    } catch (error) {
      if (signal.reason !== ABANDONED) this.#saveFailure(error);
    }
    return changed;
  }

  /** Removes the stored objects of a failed fetch, so that a bad origin cannot fill the disk. */
  async #fetchFrom(last: Contents | null, signal: AbortSignal): Promise<Contents | null> {
    const { pinned } = this.#options;
    const { objects } = this.#folder;
    try {
      const incoming = new IncomingContents(last, this.#options, signal, objects);
      // A kind of source may ignore its signal.
      const fetched = await untilAborted(this.#origin.fetch(incoming), signal);
      const resolved = (fetched ?? last)?.resolved ?? 'nothing';
      if (pinned !== null && resolved !== pinned) throw moved(pinned, resolved);
      return fetched === null ? null : this.#withoutSecrets(fetched);
    } catch (error) {
      await objects.retain(last?.files.values() ?? []);
      throw error;
    }
  }

  /** Scans wait for this work: it is local and short. */
  #onTree<T>(work: Promise<T>): Promise<T> {
    this.#treeWork = work.catch(() => {});
    return work;
  }

  #saveSuccess({ resolved, diagnostics }: Contents): void {
    const verifiedAt = this.#options.now().toISOString();
    this.#folder.saveState({ resolved, verifiedAt, failure: null, diagnostics });
    this.#unsavedFailure = null;
  }

  #saveFailure(error: unknown): void {
    const text = this.#hideSecrets(errorMessage(error));
    const failure = /[.!?]$/.test(text) ? text : `${text}.`;
    const state = this.#folder.state();
    try {
      this.#folder.saveState({
        resolved: state?.resolved ?? null,
        verifiedAt: state?.verifiedAt ?? null,
        failure,
        diagnostics: state?.diagnostics ?? [],
      });
      this.#unsavedFailure = null;
    } catch {
      this.#unsavedFailure = failure;
    }
  }

  #withoutSecrets(contents: Contents): Contents {
    const hidden = (found: Diagnostic) => ({ ...found, message: this.#hideSecrets(found.message) });
    return { ...contents, diagnostics: contents.diagnostics.map(hidden) };
  }

  #hideSecrets(text: string): string {
    return this.#origin.secrets
      .filter((secret) => secret.length > 0)
      .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  }
}

/** Folders of skills are real paths, and the root may lie behind a link. */
const below = (root: string, folder: string) =>
  relative(findRealPath(root) ?? root, folder).replaceAll('\\', '/');

function unfetched({ name, failure }: SourceStatus): Diagnostic {
  const message = failure === null ? `${name} has not been fetched yet.` : `${name}: ${failure}`;
  const fix = 'Run skillgate sources refresh, or wait for the next refresh.';
  return diagnose('source-unfetched', '.', message, { fix });
}

function stale({ name, verifiedAt, failure }: SourceStatus): readonly Diagnostic[] {
  if (failure === null) return [];
  return [diagnose('source-stale', '.', `${name} shows its state of ${verifiedAt}: ${failure}`)];
}

function moved(pinned: string, found: string): FetchError {
  const message = `The lockfile records ${pinned}, but the origin has ${found}: refresh without --frozen to move.`;
  return new FetchError(message);
}

function timedOut(timeoutMs: number): FetchError {
  const message = `The fetch did not finish within ${timeoutMs / 1_000} s. Try later, or give a smaller source.`;
  return new FetchError(message);
}
