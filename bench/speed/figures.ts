/** The figures of a speed run, as `speed.json` stores them. */

import * as z from 'zod';

/** A process from start to end: wall time and CPU time of all threads in ms, peak resident set in bytes. */
const process = z.object({ wallMs: z.number(), cpuMs: z.number(), peakBytes: z.number() });
/** Times of single calls, ms. */
const latency = z.object({ p50: z.number(), p95: z.number(), p99: z.number() });

const peer = z.object({
  name: z.string(),
  /** Why it did not run. The figures are then absent. */
  skipped: z.string().optional(),
  buildMs: z.number().optional(),
  search: latency.optional(),
  /** Resident set after the searches, including corpus and runtime, bytes. */
  bytes: z.number().optional(),
  /** Id of the first hit of each query, '' for none: `peers` asks for it. */
  first: z.array(z.string()).optional(),
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
  /** A run after which all segments are merged into one, and `validate`: of `grow`. */
  compaction: process.optional(),
  validate: process.optional(),
  search: process,
  /**
   * `serve`: time from its start to the list of tools and to the first answer; CPU time and resident set of a process that
   * ends after one answer (older files lack the resident set); resident set and peak of a process after many answers.
   */
  serve: z.object({
    listMs: z.number(),
    firstMs: z.number(),
    cpuMs: z.number(),
    firstBytes: z.number().optional(),
    bytes: z.number(),
    peakBytes: z.number(),
  }),
  /** Warm searches of one client over stdio. */
  mcp: latency,
  /** Time from saving a file until a search of the running server finds it, ms. */
  freshMs: z.number(),
  /** In process: a search, the embedding of its query, and the rest. */
  inside: z.object({ search: latency, embed: latency, retrieve: latency, vectors: z.string() }),
  /** Share of the first ten hits that scoring every document also gives. */
  recall: z.object({ queries: z.number(), at10: z.number() }),
  peers: z.array(peer),
});

const speed = z.object({
  machine: z.object({ node: z.string(), cpu: z.string(), cores: z.number(), memoryBytes: z.number() }),
  /** An empty Node process; a bare MCP server, from start to first answer; its warm round trip. */
  floors: z.object({ node: process, server: process, roundTrip: latency }),
  sizes: z.array(atSize),
});

export type Latency = z.infer<typeof latency>;
export type PeerFigures = z.infer<typeof peer>;
export type SizeFigures = z.infer<typeof atSize>;
export type SpeedFigures = z.infer<typeof speed>;
/** The output of `in-process.ts`. */
export const insideReport = atSize
  .pick({ inside: true, recall: true })
  .extend({ first: z.array(z.string()).optional() });
/** The output of `peers/run.ts`. */
export const peerReport = peer;

/** Throws if the text is not a `speed.json`. */
export const parseSpeed = (text: string): SpeedFigures => speed.parse(JSON.parse(text));
