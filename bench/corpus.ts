/**
 * The catalog that all systems of one run search. The product indexes it once; the other systems read it back from that
 * index. So every system sees the same skills and the same words.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Directory } from '../index/directory/directory.ts';
import type { Embedder } from '../index/embedder.ts';
import { Reader } from '../index/reader/reader.ts';
import type { VectorMode } from '../index/vectors/choose.ts';
import type { VectorIndex } from '../index/vectors/exact.ts';
import { indexDirectory } from '../src/catalog/index-directory.ts';
import { inProcessWorker } from '../src/catalog/indexing/worker-pool.ts';
import { Library, type LibraryOptions } from '../src/catalog/library.ts';
import type { Gateway } from '../src/gateway/gateway.ts';
import { openGateway } from '../src/gateway/pipeline.ts';
import type { Source } from '../src/sources/source.ts';

/** One skill as the baselines see it. */
export interface CorpusSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** An open snapshot, for systems that are parts of the product. */
interface OpenVectors {
  readonly reader: Reader;
  readonly vectors: VectorIndex;
}

export interface Corpus {
  /** In code-unit order of id. */
  readonly skills: readonly CorpusSkill[];
  readonly embedder: Embedder;
  /** The product as users run it. */
  readonly gateway: Gateway;
  readonly reader: Reader;
  /** The indexed text of SKILL.md without its front matter. Reads the disk at each call. */
  body(id: string): string;
  /** The snapshot with vectors searched in this mode; `vectors.fallback` is not null where the machine lacks it. */
  openVectors(mode: VectorMode): Promise<OpenVectors>;
  /** Closes everything and removes the index. */
  close(): Promise<void>;
}

type Progress = NonNullable<LibraryOptions['onProgress']>;

/** Indexes the sources in a temporary folder. Builds an HNSW graph at any size. */
export async function openCorpus(
  sources: readonly Source[],
  embedder: Embedder,
  onProgress?: Progress,
): Promise<Corpus> {
  const folder = await mkdtemp(join(tmpdir(), 'skillgate-bench-'));
  const directory = indexDirectory(folder);
  const libraryWith = (vectors: VectorMode) =>
    new Library({
      sources,
      directory,
      embedder,
      vectors,
      workers: inProcessWorker(directory, embedder),
      now: () => performance.now(),
      log: (message) => console.error(message),
      ...(onProgress !== undefined && { onProgress }),
    });
  // A first library builds the graph. The product then opens the same index with its default mode.
  const builder = libraryWith('hnsw');
  await builder.update();
  await builder.close();
  const library = libraryWith('auto');
  const { reader } = await library.current();
  const gateway = openGateway(library);
  const ordinals = new Map(Array.from(reader.ordinalsByKey(), (ordinal) => [reader.key(ordinal), ordinal]));
  const opened = new Map<VectorMode, Promise<OpenVectors>>();
  return {
    skills: await everySkill(gateway),
    embedder,
    gateway,
    reader,
    body: (id) => bodyOf(reader, ordinals.get(id)),
    openVectors: (mode) => {
      const known = opened.get(mode) ?? openReader(directory, embedder, mode);
      opened.set(mode, known);
      return known;
    },
    close: async () => {
      for (const { reader } of await Promise.all(opened.values())) reader.close();
      await library.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openReader(
  directory: Directory,
  embedder: Embedder,
  vectors: VectorMode,
): Promise<OpenVectors> {
  const reader = Reader.open(directory, { embedder, vectors });
  if (reader === null)
    throw new Error(
      'The index of the benchmark has been deleted. Do not clear the temporary folder during a run.',
    );
  return { reader, vectors: await reader.openVectors() };
}

async function everySkill(gateway: Gateway): Promise<CorpusSkill[]> {
  const skills: CorpusSkill[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = await gateway.list({ limit: 200, ...(cursor !== undefined && { cursor }) });
    skills.push(...page.entries.map(({ id, name, description }) => ({ id, name, description })));
    cursor = page.nextCursor;
  }
  return skills;
}

function bodyOf(reader: Reader, ordinal: number | undefined): string {
  if (ordinal === undefined) return '';
  return reader.passages
    .kinds(ordinal)
    .flatMap((kind, at) => (kind === 'body' ? [reader.passages.get(ordinal, at).text] : []))
    .join('\n');
}
