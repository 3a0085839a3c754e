/** Opens the index as it is on disk, for answers that must come at once: scans no folder and writes nothing. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Reader } from '../../index/reader/reader.ts';
import type { Settings } from '../../src/app/extension-api.ts';
import { openModel } from '../../src/app/model.ts';
import { indexDirectory } from '../../src/catalog/index-directory.ts';
import { compilePolicy } from '../../src/gateway/policy/policy.ts';
import { LOCAL } from '../../src/gateway/policy/principal.ts';
import { viewFor } from '../../src/gateway/view.ts';
import type { Searchable } from '../../src/search/search.ts';

export interface OpenIndex {
  /** What the local user may see of it. */
  readonly index: Searchable;
  /** When it was last written: later changes of the skills are not in it. */
  readonly writtenAt: Date;
  close(): void;
}

/** Null where there is no index yet. Throws `IndexError` for a damaged index, or one of another model. */
export async function openIndexed(settings: Settings): Promise<OpenIndex | null> {
  const { vectors, config, sources, shared } = settings;
  const embedder = await openModel(settings);
  const open = (folder: string) => Reader.open(indexDirectory(folder), { embedder, vectors });
  let { indexFolder } = settings;
  let reader = open(indexFolder);
  if (reader === null && shared !== null) {
    // In a new project, the skills that all projects have are known already.
    indexFolder = shared.indexFolder;
    reader = open(indexFolder);
  }
  if (reader === null) return null;
  const precedence = new Map(sources.map(({ name }, at) => [name, at]));
  const whole = { reader, embedder, now: () => performance.now(), precedence };
  const library = {
    current: async () => whole,
    filesOf: async () => [],
    summary: () => Promise.reject(new Error('An index that was only opened has no summary.')),
    onChange: () => () => {},
  };
  try {
    return {
      index: await viewFor(library, compilePolicy(config.policy).grantsOf(LOCAL)).current(),
      writtenAt: statSync(join(indexFolder, 'CURRENT')).mtime,
      close: () => whole.reader.close(),
    };
  } catch (error) {
    reader.close();
    throw error;
  }
}
