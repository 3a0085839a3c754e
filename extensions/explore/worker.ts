/** Entry of the thread that `work.ts` starts: opens the index and does one piece of work. */

import { IndexError } from '../../index/errors.ts';
import { readManifest } from '../../index/manifest.ts';
import { Reader } from '../../index/reader/reader.ts';
import { indexDirectory } from '../../src/catalog/index-directory.ts';
import { performRequests } from '../../src/catalog/threads.ts';
import { openEmbedder } from '../../src/search/embedding/open.ts';
import { performHere, type ThreadWork } from './work.ts';

const work: ThreadWork = async (task, report) => {
  const directory = indexDirectory(task.indexFolder);
  const { kind, modelsFolder, cacheFolder, visible } = task;
  const embedder = await openEmbedder(task.embedder, { modelsFolder, cacheFolder, onDownload: () => {} });
  if (readManifest(directory) === null) throw new IndexError('INDEX_MISSING', 'There is no index.');
  const whole = Reader.open(directory, { embedder, vectors: task.vectors });
  if (whole === null) throw new IndexError('INDEX_MISSING', 'There is no index.');
  const reader = visible === null ? whole : whole.restrictedTo(acceptIds(whole, new Set(visible)));
  try {
    return await performHere(kind, { reader, embedder, now: () => performance.now() }, visible, report);
  } finally {
    whole.close();
  }
};
performRequests(work);

function acceptIds(reader: Reader, ids: ReadonlySet<string>): Uint8Array {
  return reader.accept([]).map((alive, ordinal) => (alive === 1 && ids.has(reader.key(ordinal)) ? 1 : 0));
}
