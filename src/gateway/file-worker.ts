/** Entry of the thread that reads large files: does one task after the other. */

import { parentPort } from 'node:worker_threads';
import { type FileTask, replyTo } from './file-work.ts';

const port = parentPort;
if (port === null) throw new Error('file-worker.ts runs as a worker thread only.');

// Sent by `FileThread`, the only one to start this file.
port.on('message', async (task: FileTask) => port.postMessage(await replyTo(task)));
