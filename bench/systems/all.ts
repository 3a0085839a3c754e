/** All systems of the benchmark, the product last. */

import { bm25Card } from './bm25.ts';
import { bm25f } from './bm25f.ts';
import { cascade, denseCard, denseExact, denseHnsw } from './dense.ts';
import { fuse } from './fuse.ts';
import { hybrid, rrf } from './hybrid.ts';
import { minisearchBody, minisearchCard } from './minisearch.ts';
import type { BenchmarkSystem } from './system.ts';

export const SYSTEMS: readonly BenchmarkSystem[] = [
  fuse,
  minisearchCard,
  minisearchBody,
  bm25Card,
  denseCard,
  cascade,
  bm25f,
  denseExact,
  denseHnsw,
  rrf,
  hybrid,
];

/** The system that the others are compared with. */
export const PRODUCT: BenchmarkSystem = hybrid;

/** Systems by name, in the order of `SYSTEMS`. Throws for an unknown name. */
export function systemsNamed(names: readonly string[]): readonly BenchmarkSystem[] {
  const unknown = names.filter((name) => !SYSTEMS.some((system) => system.name === name));
  if (unknown.length > 0) {
    const known = SYSTEMS.map(({ name }) => name).join(', ');
    throw new Error(`There is no system ${unknown.join(', ')}. Known systems: ${known}.`);
  }
  return SYSTEMS.filter(({ name }) => names.includes(name));
}
