/** A process that writes what agents load: `writer-program.ts FOLDER NAME COUNT`. Prints the number of each use that is on disk. */

import { LearnedStore } from '../../../src/learning/public.ts';

const [, , folder = '', name = '', count = '0'] = process.argv;
const store = new LearnedStore({
  folder,
  halfLife: 86_400,
  now: Date.now,
  log: (message) => process.stderr.write(`${message}\n`),
});
const at = Math.floor(Date.now() / 1_000);
for (let number = 0; number < Number(count); number += 1) {
  const skill = `skill-${number % 40}`;
  const use = {
    kind: 'use',
    skill,
    name: skill,
    digest: 'd',
    request: `${name} ${number}`,
    who: 'local',
    at,
  } as const;
  // Every fourth write also compacts, so that kills fall into both.
  if (number % 4 === 3) await store.addNow([use]);
  else {
    store.add([use]);
    await store.flush();
  }
  process.stdout.write(`${number}\n`);
}
