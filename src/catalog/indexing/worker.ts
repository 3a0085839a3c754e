/** Entry of an indexing thread: runs one task after the other, and opens the index and the model once. */

import { parentPort, workerData } from 'node:worker_threads';
import { performTask, type Task } from './tasks.ts';
import { failureOf, openSetting, type WorkerReply, type WorkerSetting } from './worker-pool.ts';

// Sent by `ThreadPool`, the only one to start this file.
const setting = workerData as WorkerSetting;
const { directory, embedder } = openSetting(setting);
const port = parentPort;
if (port === null) throw new Error('worker.ts runs as a worker thread only.');

const reply = (message: WorkerReply) => port.postMessage(message);

port.on('message', async (task: Task) => {
  try {
    const result = await performTask(task, directory, embedder, (done) => reply({ kind: 'advance', done }));
    reply({ kind: 'result', result });
  } catch (error) {
    reply({ kind: 'failure', failure: failureOf(error) });
  }
});
