/** Every arm of the benchmark, the product last. */

import type { Arm } from './arm.ts';
import { bm25Card } from './bm25.ts';
import { bm25f } from './bm25f.ts';
import { cascade, denseCard, denseExact, denseHnsw } from './dense.ts';
import { fuse } from './fuse.ts';
import { hybrid, rrf } from './hybrid.ts';
import { minisearchBody, minisearchCard } from './minisearch.ts';

export const ARMS: readonly Arm[] = [
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

/** The arm that the others are compared with. */
export const PRODUCT: Arm = hybrid;

/** Arms by name, in the order of `ARMS`. Throws for a name that is not there. */
export function armsNamed(names: readonly string[]): readonly Arm[] {
  const unknown = names.filter((name) => !ARMS.some((arm) => arm.name === name));
  if (unknown.length > 0) {
    const known = ARMS.map(({ name }) => name).join(', ');
    throw new Error(`There is no system ${unknown.join(', ')}; there are ${known}.`);
  }
  return ARMS.filter(({ name }) => names.includes(name));
}
