/** All peers that the speed benchmark times next to skillgate, in the order of the table. */

import { lanceHybrid, lanceVectors, sqliteVec, sqliteWords } from './databases.ts';
import { floatScan, fuse, minisearch, orama } from './in-memory.ts';
import type { Peer } from './peer.ts';
import { postgresHybrid, postgresWords } from './postgres.ts';

export const PEERS: readonly Peer[] = [
  minisearch,
  orama,
  fuse,
  floatScan,
  sqliteWords,
  sqliteVec,
  lanceVectors,
  lanceHybrid,
  postgresWords,
  postgresHybrid,
];
