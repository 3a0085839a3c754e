/** What an operator does with a store: make it, look at it, fill it, copy it out, clean it up. */

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { IndexError } from '../../../index/errors.ts';
import { AppError } from '../../../src/app/app-error.ts';
import { milliseconds } from '../../../src/app/config/units.ts';
import type { ProcessEnvironment } from '../../../src/app/configured.ts';
import type { Settings } from '../../../src/app/extension-api.ts';
import { openModel } from '../../../src/app/model.ts';
import { openLibrary } from '../../../src/app/open-library.ts';
import { fetchFor, openSources } from '../../../src/app/open-sources.ts';
import { indexDirectory } from '../../../src/catalog/index-directory.ts';
import { readGeneration } from '../../../src/catalog/indexing/damage.ts';
import { grantsFor, migrate, type Roles, requireSchema } from '../database/migrations.ts';
import type { Collected, CollectOptions, IndexStore, PublishedIndex, StoreStatus } from '../index-store.ts';
import { entriesOf, liveSkills, Publisher } from '../publish.ts';
import { fetchWhole, pull } from '../pull.ts';
import { copyFolderOf, holderOf, lineOf, type OpenStore, openStore } from './open-store.ts';

/** Creates or updates the tables, and gives the roles their rights. Returns the names of the steps that were missing. */
export async function initStore(
  settings: Settings,
  environment: ProcessEnvironment,
  roles: Roles | null,
): Promise<readonly string[]> {
  const { store, database, config } = opened(settings, environment);
  try {
    const steps = await migrate(database, config.schema);
    const grants = roles === null ? [] : grantsFor(config.schema, roles);
    // At once: some take back what others gave.
    await database.transaction(async (transaction) => {
      for (const grant of grants) await transaction.query(grant);
    });
    return steps;
  } finally {
    await store.close();
  }
}

export function storeStatus(settings: Settings, environment: ProcessEnvironment): Promise<StoreStatus> {
  return withStore(settings, environment, (store) => store.status());
}

export interface CopyStatus {
  readonly folder: string;
  /** Of the index, as the store counts them. */
  readonly generation: number;
  readonly takenAt: Date;
}

/** What a gateway on this machine answers from while the store is away; null where it has no copy, or keeps it in memory. */
export async function copyStatus(settings: Settings): Promise<CopyStatus | null> {
  const folder = copyFolderOf(settings);
  if (folder === null) return null;
  const current = statSync(join(folder, 'CURRENT'), { throwIfNoEntry: false });
  const generation = readGeneration(indexDirectory(folder));
  return current === undefined || generation === null ? null : { folder, generation, takenAt: current.mtime };
}

/** Indexes the sources of the settings and publishes them, as the one writer. Rejects with `STORE_BUSY` while there is another. */
export function copyIn(
  settings: Settings,
  environment: ProcessEnvironment,
  log: (message: string) => void,
): Promise<PublishedIndex | null> {
  return withStore(settings, environment, async (store, { config }) => {
    const line = lineOf(await openModel(settings));
    const ttlMs = milliseconds(config.lease);
    const lease = await store.acquire(line, holderOf(randomBytes(4).toString('hex')), ttlMs);
    if (lease === null)
      throw new AppError(
        'STORE_BUSY',
        'A gateway writes this store, so its sources are what is published. Stop it first, or leave the publishing to it.',
      );
    const renewing = setInterval(() => void store.renew(lease, ttlMs).catch(() => {}), ttlMs / 4);
    const sources = await openSources(settings, environment);
    try {
      await fetchFor('missing', sources, settings, { now: Date.now, log });
      const directory = indexDirectory(settings.indexFolder);
      const library = await openLibrary(settings, {
        log,
        sources: sources.all,
        ...(config.shares.includes('policy') ? { qualifyIds: true } : {}),
      });
      try {
        await library.update();
        const filesOf = library.filesOf.bind(library);
        return await new Publisher({ store, directory, filesOf }).publish(lease);
      } finally {
        await library.close();
      }
    } finally {
      clearInterval(renewing);
      await sources.close();
      await store.release(lease).catch(() => {});
    }
  });
}

export interface CopiedOut {
  readonly generation: number;
  readonly skills: number;
  /** Ids of skills whose files the store does not have. */
  readonly missing: readonly string[];
}

/** Writes the newest index to `<folder>/index`, and files of skills to `<folder>/skills/<source>/<id>`. The folder must be new. */
export function copyOut(settings: Settings, environment: ProcessEnvironment, to: string): Promise<CopiedOut> {
  return withStore(settings, environment, async (store) => {
    const folder = resolve(environment.cwd, to);
    if (existsSync(folder))
      throw new AppError('SETTING_INVALID', `${folder} exists already: name a new folder.`);
    const directory = indexDirectory(join(folder, 'index'));
    const newest = await pull(store, lineOf(await openModel(settings)), directory);
    if (newest === null)
      throw new AppError('SETTING_INVALID', 'Nothing has been published for this version and model yet.');
    const missing: string[] = [];
    let skills = 0;
    for (const entry of entriesOf(directory)) {
      const skill = await store.skill(entry.digest);
      if (skill === null) missing.push(entry.id);
      else skills += 1;
      const own = entry.id.slice(entry.id.indexOf(':') + 1);
      for (const { path, sha256, size } of skill?.files ?? []) {
        if (sha256 === null) continue;
        const file = join(folder, 'skills', entry.source, own, path);
        // A user who may write the database must not choose where files land here.
        if (!file.startsWith(join(folder, 'skills', sep))) throw new Error(`${path} leads out of its skill.`);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, await fetchWhole(store, { sha256, size }));
      }
    }
    return { generation: newest.generation, skills, missing };
  });
}

/** Removes what no kept generation names. Skills stay where an index cannot be read, since no one knows which it needs. */
export function collectStore(
  settings: Settings,
  environment: ProcessEnvironment,
  options: Pick<CollectOptions, 'keep' | 'graceMs' | 'onProgress'>,
): Promise<Collected> {
  return withStore(settings, environment, async (store) => {
    const { lines } = await store.status();
    const folder = mkdtempSync(join(tmpdir(), 'skillgate-gc-'));
    try {
      let live: string[] | null = [];
      for (const [at, { line }] of lines.entries()) {
        const directory = indexDirectory(join(folder, String(at)));
        await pull(store, line, directory);
        try {
          live?.push(...liveSkills(directory));
        } catch (error) {
          if (!(error instanceof IndexError)) throw error;
          live = null;
        }
      }
      return await store.collect({ ...options, liveSkills: live });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

async function withStore<Result>(
  settings: Settings,
  environment: ProcessEnvironment,
  use: (store: IndexStore, open: OpenStore) => Promise<Result>,
): Promise<Result> {
  const open = opened(settings, environment);
  try {
    await requireSchema(open.database, open.config.schema);
    return await use(open.store, open);
  } finally {
    await open.store.close();
  }
}

function opened({ config }: Settings, environment: ProcessEnvironment): OpenStore {
  if (config.store === undefined) throw new AppError('SETTING_INVALID', 'There is no store in the settings.');
  return openStore(config.store, environment);
}
