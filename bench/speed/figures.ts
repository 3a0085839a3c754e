/** What a run of the speed benchmark found out, as it is kept in `speed.json` and read back for a comparison. */

import * as z from 'zod';

/** A process from its start to its end: ms of wall and of CPU in all threads, bytes resident at most. */
const process = z.object({ wallMs: z.number(), cpuMs: z.number(), peakBytes: z.number() });
/** Times of single calls, ms. */
const latency = z.object({ p50: z.number(), p95: z.number(), p99: z.number() });

const peer = z.object({
  name: z.string(),
  /** Why it did not run; the figures are then absent. */
  skipped: z.string().optional(),
  buildMs: z.number().optional(),
  search: latency.optional(),
  /** Resident set after the searches, the corpus and the runtime included. */
  bytes: z.number().optional(),
});

const atSize = z.object({
  skills: z.number(),
  passages: z.number(),
  textBytes: z.number(),
  diskBytes: z.number(),
  build: process,
  unchanged: process,
  oneChanged: process,
  percentChanged: process.extend({ changed: z.number() }),
  search: process,
  /**
   * `serve` from its start: to the list of its tools, to the first answer; CPU and resident memory of the process that
   * gave just that answer (runs of before did not keep the memory), then memory of one that served on.
   */
  serve: z.object({
    listMs: z.number(),
    firstMs: z.number(),
    cpuMs: z.number(),
    firstBytes: z.number().optional(),
    bytes: z.number(),
    peakBytes: z.number(),
  }),
  /** One client over stdio, answers warm. */
  mcp: latency,
  /** A saved file until a search of the running server finds it, ms. */
  freshMs: z.number(),
  /** In process: a whole search, the embedding of its query, and the rest. */
  inside: z.object({ search: latency, embed: latency, retrieve: latency, vectors: z.string() }),
  /** Of the ten hits, the share that an exhaustive computation of the same score has too. */
  recall: z.object({ queries: z.number(), at10: z.number() }),
  peers: z.array(peer),
});

const speed = z.object({
  machine: z.object({ node: z.string(), cpu: z.string(), cores: z.number(), memoryBytes: z.number() }),
  /** An empty Node process; and a bare MCP server: start to first answer, and its warm round trip. */
  floors: z.object({ node: process, server: process, roundTrip: latency }),
  sizes: z.array(atSize),
});

export type ProcessFigures = z.infer<typeof process>;
export type Latency = z.infer<typeof latency>;
export type PeerFigures = z.infer<typeof peer>;
export type SizeFigures = z.infer<typeof atSize>;
export type SpeedFigures = z.infer<typeof speed>;
/** What the in-process child prints. */
export const insideReport = atSize.pick({ inside: true, recall: true });
export const peerReport = peer;

/** Throws where the text is no result of a run. */
export const parseSpeed = (text: string): SpeedFigures => speed.parse(JSON.parse(text));
