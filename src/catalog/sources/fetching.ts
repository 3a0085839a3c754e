/**
 * What every fetched source does alike: one fetch at a time and within its time, limits, the lockfile's pin, what is
 * said of failures, and skills that stay while their origin is away. A kind of source says only how to fetch.
 */

import { createHash } from 'node:crypto';
import { diagnose } from '../../skills/diagnostics.ts';
import { FetchError } from '../errors.ts';
import type { FetchedSource, FetchOptions, SourceStatus } from './fetched.ts';
import { localSource } from './local.ts';
import type { Scan } from './source.ts';
import type { Contents } from './store/contents.ts';
import { Intake } from './store/intake.ts';
import { Place } from './store/place.ts';

/** What a kind of source knows. */
export interface Origin {
  readonly kind: SourceStatus['kind'];
  /** Where it is, for people: without credentials. */
  readonly origin: string;
  /** All that decides what is fetched, but no credentials: where it changes, what was fetched before is dropped. */
  readonly key: readonly string[];
  /** Texts that no message may hold. */
  readonly secrets: readonly string[];
  /** Null where the origin has what `intake.last` holds. Rejects where anything is in the way. */
  fetch(intake: Intake): Promise<Contents | null>;
  /** Connections to the origin end. */
  close?(): Promise<void>;
}

interface Run {
  readonly controller: AbortController;
  readonly done: Promise<boolean>;
  waiting: number;
}

/** The longest that a timer of Node can wait, ms; longer ones end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Nobody waits for the fetch any more; never told to anyone. */
const ABANDONED = Symbol('abandoned');

export function fetchedSource(options: FetchOptions, origin: Origin): FetchedSource {
  const { name, now } = options;
  const key = createHash('sha256')
    .update(JSON.stringify([origin.kind, ...origin.key]))
    .digest('hex');
  const place = new Place(options.place, name, key, now);
  const files = localSource({ name, root: place.root });
  /** Said where even the state could not be written. */
  let unwritten: string | null = null;
  let run: Run | null = null;
  let settled: Promise<unknown> = Promise.resolve();

  function status(): SourceStatus {
    const state = place.state();
    return {
      name,
      kind: origin.kind,
      origin: origin.origin,
      resolved: state?.resolved ?? null,
      verifiedAt: state?.verifiedAt ?? null,
      failure: unwritten ?? state?.failure ?? null,
    };
  }

  async function scan(signal?: AbortSignal): Promise<Scan> {
    signal?.throwIfAborted();
    // A scan in the middle of a change would see neither what was nor what comes.
    await settled;
    const { resolved, verifiedAt, failure } = status();
    if (resolved === null) {
      const message = failure === null ? `${name} has not been fetched yet.` : `${name}: ${failure}`;
      const mend = 'Run skillgate sources refresh, or wait for the next one.';
      return { folders: [], diagnostics: [diagnose('source-unfetched', '.', message, { mend })] };
    }
    const found = await files.scan(signal);
    const stale =
      failure === null
        ? []
        : [diagnose('source-stale', '.', `${name} shows what it had at ${verifiedAt}: ${failure}`)];
    const left = place.state()?.diagnostics ?? [];
    return { folders: found.folders, diagnostics: [...stale, ...left, ...found.diagnostics] };
  }

  /** Resolves to whether the tree changed. */
  async function fetch(signal: AbortSignal): Promise<boolean> {
    let changed = false;
    try {
      const before = place.state();
      await place.alone(signal, async () => {
        const state = place.state();
        const isNew = state !== null && state.failure === null && state.verifiedAt !== before?.verifiedAt;
        if (isNew) {
          // Another process fetched while this one waited for its turn.
          changed = state.resolved !== before?.resolved;
          return;
        }
        const { contents: last, mended } = await settling(place.mended());
        changed = mended;
        const fetched = await fetchOver(last, signal);
        const contents = fetched ?? last;
        if (contents === null) throw new FetchError('FETCH_INVALID', 'It gave nothing at all.');
        if (fetched !== null) changed = (await settling(place.commit(fetched))) || changed;
        const { resolved, diagnostics } = contents;
        const verifiedAt = now().toISOString();
        place.saveState({ origin: origin.origin, resolved, verifiedAt, failure: null, diagnostics });
        unwritten = null;
      });
    } catch (error) {
      if (signal.reason !== ABANDONED) fail(error);
    }
    return changed;
  }

  /** What is stored for nothing, because the fetch fails, is removed: an origin that lies must not fill the disk. */
  async function fetchOver(last: Contents | null, signal: AbortSignal): Promise<Contents | null> {
    try {
      const fetched = await sooner(origin.fetch(new Intake(last, options, signal, place.objects)), signal);
      const resolved = (fetched ?? last)?.resolved ?? 'nothing';
      if (options.pinned !== null && resolved !== options.pinned) throw moved(options.pinned, resolved);
      return fetched === null ? null : withoutSecrets(fetched);
    } catch (error) {
      place.objects.retain(last?.files.values() ?? []);
      throw error;
    }
  }

  function fail(error: unknown): void {
    const text = hide(error instanceof Error ? error.message : String(error));
    const failure = /[.!?]$/.test(text) ? text : `${text}.`;
    const state = place.state();
    try {
      place.saveState({
        origin: origin.origin,
        resolved: state?.resolved ?? null,
        verifiedAt: state?.verifiedAt ?? null,
        failure,
        diagnostics: state?.diagnostics ?? [],
      });
      unwritten = null;
    } catch {
      unwritten = failure;
    }
  }

  function begin(): Run {
    const controller = new AbortController();
    const seconds = options.timeoutMs / 1_000;
    const message = `The fetch was not done within ${seconds} s: raise the source’s timeout, or try later.`;
    const timer = setTimeout(
      () => controller.abort(new FetchError('FETCH_TIMEOUT', message)),
      Math.min(options.timeoutMs, MAX_TIMER_MS),
    );
    const done = fetch(controller.signal).finally(() => {
      clearTimeout(timer);
      run = null;
    });
    return { controller, done, waiting: 0 };
  }

  async function refresh(signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    while (run?.controller.signal.reason === ABANDONED) await run.done;
    run ??= begin();
    const joined = run;
    joined.waiting += 1;
    return await new Promise<boolean>((resolve, reject) => {
      const leave = () => {
        joined.waiting -= 1;
        if (joined.waiting === 0) joined.controller.abort(ABANDONED);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      joined.done.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
    });
  }

  async function close(): Promise<void> {
    run?.controller.abort(ABANDONED);
    await run?.done;
    await origin.close?.();
  }

  /** Scans wait for this work: it is this disk's, and short. */
  function settling<T>(work: Promise<T>): Promise<T> {
    settled = work.catch(() => {});
    return work;
  }

  function withoutSecrets(contents: Contents): Contents {
    const diagnostics = contents.diagnostics.map((found) => ({ ...found, message: hide(found.message) }));
    return { ...contents, diagnostics };
  }

  function hide(text: string): string {
    return origin.secrets
      .filter((secret) => secret.length > 0)
      .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  }

  return { name, refreshMs: options.refreshMs, scan, status, refresh, close };
}

function moved(pinned: string, found: string): FetchError {
  const message = `The lockfile records ${pinned}, but the origin has ${found}: refresh without --frozen to move.`;
  return new FetchError('FETCH_MOVED', message);
}

/** Ends with the signal even where the work does not heed it. */
async function sooner<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  return await new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
