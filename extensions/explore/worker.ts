/** Entry of the thread that `work.ts` starts: opens the index, does one piece of work, and ends. */

import { parentPort, workerData } from 'node:worker_threads';
import { diskDirectory } from '../../index/directory/disk.ts';
import { IndexError } from '../../index/errors.ts';
import { readManifest } from '../../index/manifest.ts';
import { Reader } from '../../index/reader/reader.ts';
import { messageOf } from '../../src/base/errors.ts';
import { openEmbedder } from '../../src/search/embedding/open.ts';
import { performHere, type ThreadReply, type ThreadTask } from './work.ts';

// Sent by `performInThread`, the only one to start this file.
const {
  kind,
  visible,
  indexFolder,
  embedder: model,
  modelsFolder,
  cacheFolder,
  vectors,
} = workerData as ThreadTask;
const port = parentPort;
if (port === null) throw new Error('worker.ts runs as a worker thread only.');
const reply = (message: ThreadReply) => port.postMessage(message);

try {
  const directory = diskDirectory(indexFolder);
  const embedder = await openEmbedder(model, { modelsFolder, cacheFolder, onDownload: () => {} });
  if (readManifest(directory) === null) throw new IndexError('INDEX_MISSING', 'There is no index.');
  const whole = Reader.open(directory, { embedder, vectors });
  if (whole === null) throw new IndexError('INDEX_MISSING', 'There is no index.');
  const reader = visible === null ? whole : whole.restrictedTo(acceptOf(whole, new Set(visible)));
  const now = () => performance.now();
  const bytes = await performHere(kind, { reader, embedder, now }, null, (share) =>
    reply({ kind: 'progress', share }),
  );
  reply({ kind: 'done', bytes });
  whole.close();
} catch (error) {
  reply({ kind: 'failure', message: messageOf(error) });
} finally {
  port.close();
}

function acceptOf(reader: Reader, ids: ReadonlySet<string>): Uint8Array {
  return reader.accept([]).map((alive, ordinal) => (alive === 1 && ids.has(reader.key(ordinal)) ? 1 : 0));
}
