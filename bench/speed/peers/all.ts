/** All peers that the speed benchmark times next to skillgate, in the order of the table. */

import { lanceHybrid, lanceVectors, sqliteVec, sqliteWords } from './databases.ts';
import { floatScan, fuse, minisearch } from './in-memory.ts';
import type { Peer } from './peer.ts';

export const PEERS: readonly Peer[] = [
  minisearch,
  fuse,
  floatScan,
  sqliteWords,
  sqliteVec,
  lanceVectors,
  lanceHybrid,
];
