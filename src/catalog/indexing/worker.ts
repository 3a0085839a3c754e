/** Entry of an indexing thread: opens the index and the model once, for all its tasks. */

import { performRequests } from '../threads.ts';
import { performTask } from './tasks.ts';
import { openSetting, type PoolWork } from './worker-pool.ts';

let opened: ReturnType<typeof openSetting> | undefined;

const work: PoolWork = ({ setting, task }, advance) => {
  opened ??= openSetting(setting);
  return performTask(task, opened.directory, opened.embedder, advance);
};
performRequests(work);
