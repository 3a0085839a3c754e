/** Objects and generations for tests of stores. */

import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { IndexStore, Lease } from '../../../extensions/postgres/index-store.ts';
import { pull } from '../../../extensions/postgres/pull.ts';
import { readWhole } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';

export function objectOf(content: string | Uint8Array) {
  const bytes = Buffer.from(content);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { sha256, size: bytes.length, chunks: () => [bytes] };
}

/** Publishes files of these sizes that say which generation they are of. */
export async function publishGeneration(
  store: IndexStore,
  lease: Lease,
  generation: number,
  sizes: Readonly<Record<string, number>>,
) {
  const files = Object.entries(sizes).map(([name, size]) => ({
    name,
    ...objectOf(Buffer.alloc(size, `${generation} ${name} `)),
  }));
  await store.addObjects(files);
  const newest = await store.newest(lease.line);
  return store.publish(lease, newest?.version ?? null, { generation, files });
}

/** The generation that a gateway gets: every digest was checked, and all files are of one generation. */
export async function pulledGeneration(store: IndexStore, line: string): Promise<number | null> {
  const directory = memoryDirectory();
  const newest = await pull(store, line, directory);
  for (const { name } of newest?.files ?? [])
    expect(Buffer.from(readWhole(directory, name)).toString()).toMatch(`${newest?.generation} ${name} `);
  return newest?.generation ?? null;
}
