import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { memoryDirectory } from '../../../../index/directory/memory.ts';
import type { Embedder } from '../../../../index/embedder.ts';
import { Reader } from '../../../../index/reader/reader.ts';
import { indexDirectory } from '../../../../src/catalog/index-directory.ts';
import { runIndexing } from '../../../../src/catalog/indexing/run.ts';
import type { Task } from '../../../../src/catalog/indexing/tasks.ts';
import {
  inProcessWorker,
  mixedPool,
  ThreadPool,
  type WorkerPool,
} from '../../../../src/catalog/indexing/worker-pool.ts';
import { openEmbedder } from '../../../../src/search/embedding/open.ts';
import { localSource } from '../../../../src/sources/local.ts';
import { readCatalog } from '../../../../src/sources/scan/catalog.ts';
import { endWithTest } from '../../../end-with-test.ts';
import { toyEmbedder } from '../../../index/toy.ts';
import { plant } from '../../sources/scan/tree.ts';
import { skill } from './workshop.ts';

const root = join(import.meta.dirname, '../../../..');
const modelsFolder = join(root, 'models');
/** Threads that run this program instead of the built worker. */
function threads(size: number, program: string, idleMs?: number): WorkerPool {
  const entry = pathToFileURL(join(plant({ 'worker.mjs': program }), 'worker.mjs'));
  const workers = new ThreadPool(entry, size, { indexFolder: '', embedder: undefined, modelsFolder }, idleMs);
  endWithTest(() => workers.close());
  return workers;
}

const merge = (name: string): Task & { kind: 'merge' } => ({
  kind: 'merge',
  averages: null,
  name,
  segments: [],
});
const perform = (workers: WorkerPool, name: string, advance = (_: number) => {}) =>
  workers.perform<'merge'>(merge(name), advance);

/** Answers with its thread id and the task's name; the name decides what it does. */
const SCRIPTED = `
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ request: { task: { name } } }) => {
    if (name === 'exit') process.exit(3);
    if (name === 'throw') throw new Error('thrown in the thread');
    if (name === 'fail') return parentPort.postMessage({ failure: { code: 'INDEX_WRITE', message: 'full' } });
    if (name === 'wait') return;
    if (name === 'late') setTimeout(() => process.exit(4), 20);
    parentPort.postMessage({ event: 1 });
    parentPort.postMessage({ result: { name, thread: threadId } });
  });
`;

describe('worker threads', () => {
  it('run every task once and reuse threads', async () => {
    const workers = threads(2, SCRIPTED);
    let advanced = 0;
    const names = Array.from({ length: 9 }, (_, at) => `t${at}`);
    const results = await Promise.all(
      names.map((name) =>
        perform(workers, name, (done) => {
          advanced += done;
        }),
      ),
    );
    expect(results.map(({ name }) => name)).toEqual(names);
    const used = new Set(results.map((result) => (result as unknown as { thread: number }).thread));
    expect(used.size).toBeLessThanOrEqual(2);
    expect(advanced).toBe(9);
  });

  it('end when idle; the next task gets a new thread', async () => {
    const workers = threads(1, SCRIPTED, 0);
    const threadOf = async (name: string) =>
      ((await perform(workers, name)) as unknown as { thread: number }).thread;
    const first = await threadOf('a');
    await vi.waitFor(async () => expect(await threadOf('b')).not.toBe(first));
  });

  it('pass on an IndexError with its code', async () => {
    await expect(perform(threads(1, SCRIPTED), 'fail')).rejects.toMatchObject({
      name: 'IndexError',
      code: 'INDEX_WRITE',
      message: 'full',
    });
  });

  it.each(['exit', 'throw'])(
    'that die by %s fail only their task; the next one gets a new thread',
    async (way) => {
      const workers = threads(1, SCRIPTED);
      const [dead, ...others] = await Promise.allSettled(
        [way, 'a', 'b'].map((name) => perform(workers, name)),
      );
      expect(dead?.status).toBe('rejected');
      expect(others).toMatchObject([{ value: { name: 'a' } }, { value: { name: 'b' } }]);
      expect(await perform(workers, 'c')).toMatchObject({ name: 'c' });
    },
  );

  it('that die while idle are replaced for the next task', async () => {
    const workers = threads(1, SCRIPTED);
    const first = (await perform(workers, 'late')) as unknown as { thread: number };
    // A task given to the dying thread may fail; a later one gets another thread.
    await expect
      .poll(
        async () => ((await perform(workers, 'next').catch(() => first)) as unknown as typeof first).thread,
      )
      .not.toBe(first.thread);
  });

  it('fail active, waiting and later tasks once closed', async () => {
    const workers = threads(1, SCRIPTED);
    const pending = ['wait', 'a'].map((name) => perform(workers, name));
    const settled = Promise.allSettled(pending);
    await workers.close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(perform(workers, 'b')).rejects.toThrow('closed');
  });
});

describe('mixedPool', () => {
  const recorder = (size: number): WorkerPool & { tasks: string[] } => {
    const tasks: string[] = [];
    return {
      size,
      tasks,
      perform: async (task) => {
        tasks.push(task.name);
        return {} as never;
      },
      close: async () => {
        tasks.push('closed');
      },
    };
  };
  const build = (name: string, folders: number, bytes = 0): Task => ({
    kind: 'build',
    name,
    recipe: '',
    averages: null,
    folders: Array.from({ length: folders }, () => ({
      folder: { files: [{ size: bytes }] } as never,
      known: null,
    })),
  });
  const segments = (documents: number) => [{ name: 'p', documents, dead: [] }];
  const tasks: Task[] = [
    build('64', 64),
    build('65', 65),
    build('128 KiB', 64, 2_048),
    build('129 KiB', 1, 132_096),
    { kind: 'merge', name: 'm64', averages: null, segments: segments(64) },
    { kind: 'merge', name: 'm65', averages: null, segments: segments(65) },
    { kind: 'hnsw', name: 'h', segment: 's' },
  ];

  it.each([
    [true, ['64', '128 KiB', 'm64'], ['65', '129 KiB', 'm65', 'h']],
    [false, ['64', '65', '128 KiB', '129 KiB', 'm64'], ['m65', 'h']],
  ])('with build tasks in threads %s runs %j locally and %j in threads', async (elsewhere, here, away) => {
    const [own, others] = [recorder(1), recorder(4)];
    const workers = mixedPool(own, others, elsewhere);
    expect(workers.size).toBe(4);
    for (const task of tasks) await workers.perform(task as never, () => {});
    expect(own.tasks).toEqual(here);
    expect(others.tasks).toEqual(away);
    await workers.close();
    expect([own.tasks.at(-1), others.tasks.at(-1)]).toEqual(['closed', 'closed']);
  });
});

describe('the built worker', () => {
  const planted = () =>
    plant(
      Object.fromEntries(
        Array.from({ length: 150 }, (_, at) => [`s${at}/SKILL.md`, skill(`s${at}`, `Task number ${at}`)]),
      ),
    );

  it('builds the same index in threads as in this one', async () => {
    const skills = planted();
    const catalog = await readCatalog([localSource({ name: 's', root: skills })]);
    const embedder = await openEmbedder(undefined, { modelsFolder });
    const [inThreads, here] = [indexDirectory(plant({})), memoryDirectory()];
    const setting = { indexFolder: inThreads.pathOf('')!, embedder: undefined, modelsFolder };
    const workers = new ThreadPool(pathToFileURL(join(root, 'dist/worker.js')), 2, setting);
    endWithTest(() => workers.close());
    const options = { embedder, vectors: 'exact', now: () => 0 } as const;
    await runIndexing(catalog, { ...options, directory: inThreads, workers });
    await runIndexing(catalog, { ...options, directory: here, workers: inProcessWorker(here, embedder) });
    const [a, b] = [inThreads, here].map((directory) => Reader.open(directory, { embedder })!) as [
      Reader,
      Reader,
    ];
    expect(a.documents).toBe(150);
    expect([...a.digests()].sort(byKey)).toEqual([...b.digests()].sort(byKey));
    expect(await rankingOf(a, embedder)).toEqual(await rankingOf(b, embedder));
    a.close();
  });
});

const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);

async function rankingOf(reader: Reader, embedder: Embedder): Promise<string[]> {
  const vectors = await reader.openVectors();
  const { ordinals } = vectors.nearest(await embedder.embedQuery('task number 77'), 1, reader.accept([]));
  const words = reader.lexical.match(reader.lexical.prepare('number 77'), 1);
  return [...ordinals, ...words.ordinals].map((ordinal) => reader.key(ordinal));
}

describe('inProcessWorker', () => {
  it('rejects where a task fails', async () => {
    const directory = memoryDirectory();
    const workers = inProcessWorker(directory, toyEmbedder());
    expect(workers.size).toBe(1);
    const task = {
      kind: 'merge',
      name: 'm.segment',
      averages: null,
      segments: [{ name: 'none.segment', documents: 1, dead: [] }],
    };
    await expect(workers.perform(task as Task & { kind: 'merge' }, () => {})).rejects.toMatchObject({
      code: 'INDEX_MISSING',
    });
  });
});
