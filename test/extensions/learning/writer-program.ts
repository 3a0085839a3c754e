/** A process that writes what agents load: `writer-program.ts FOLDER NAME COUNT`. Prints the number of each use that is on disk. */

import { Store } from '../../../extensions/learning/store.ts';

const [, , folder = '', name = '', count = '0'] = process.argv;
const store = new Store({
  folder,
  now: Date.now,
  log: (message) => process.stderr.write(`${message}\n`),
});
const at = Math.floor(Date.now() / 1_000);
for (let number = 0; number < Number(count); number += 1) {
  store.add({ skill: `skill-${number % 40}`, request: `${name} ${number}`, who: 'local', at });
  await store.flush();
  // Compacts, so that kills fall into both.
  if (number % 4 === 3) await store.forget('nobody');
  process.stdout.write(`${number}\n`);
}
