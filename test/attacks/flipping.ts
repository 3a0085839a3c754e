/** Exchanges files and folders of a skill with links that lead out, over and over, in a process of its own. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Flip {
  /** What is exchanged: a file, or a folder. Whatever is there now is one of the two states. */
  readonly path: string;
  /** Where the links lead, in turn. */
  readonly targets: readonly string[];
}

/** Exchanges a second, for each path: some more than one a millisecond. */
const RATE = 1_200;
/** The process ends by itself, whatever becomes of the test, ms. */
const MAX_MS = 120_000;
/** Exchanges between two rests. Odd: the rests alternate between the two states. */
const BURST = 101;

const PROGRAM = `
const fs = require('node:fs');
const [flips, rate, mostMs, burst] = JSON.parse(process.argv[1]);
let ended = false;
process.stdin.on('end', () => { ended = true; }).resume();
const started = performance.now();
for (const { path } of flips) {
  // Of an earlier attack: another link of the same file, onto which nothing is renamed.
  fs.rmSync(path + '.own', { recursive: true, force: true });
  fs.renameSync(path, path + '.own');
}
let count = 0;
let restAt = burst;
function exchange() {
  for (const { path, targets } of flips) {
    const isFolder = fs.statSync(path + '.own').isDirectory();
    if (count % 2 === 0) {
      // Files are replaced in one step, so that there is always one of the two at the path.
      if (isFolder) { fs.rmSync(path, { force: true }); fs.renameSync(path + '.own', path); fs.mkdirSync(path + '.own'); }
      else { fs.linkSync(path + '.own', path + '.next'); fs.renameSync(path + '.next', path); }
    } else {
      fs.symlinkSync(targets[(count >> 1) % targets.length], path + '.next');
      if (isFolder) { fs.rmdirSync(path + '.own'); fs.renameSync(path, path + '.own'); }
      fs.renameSync(path + '.next', path);
    }
  }
  count += 1;
}
function round() {
  // Rests grow with the attack's age, so that a reader that gets little time still meets both states, whole.
  if (count >= restAt) {
    restAt = count + burst;
    return setTimeout(round, (performance.now() - started) / 50);
  }
  // A few at a time: on a busy machine the rate is not reached, and the end must be heard.
  for (let left = 8; left > 0 && count < restAt && count < (performance.now() - started) * rate / 1000; left--) exchange();
  if (!ended && performance.now() - started < mostMs) return setTimeout(round, 1);
  if (count % 2 === 0) exchange();
  process.stdout.write(String(count), () => process.exit(0));
}
round();
`;

/** `end` leaves the paths as they were and says how often they were exchanged. */
export function startFlipping(flips: readonly Flip[]): { end(): Promise<number> } {
  const child = spawn(process.execPath, ['-e', PROGRAM, JSON.stringify([flips, RATE, MAX_MS, BURST])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const closed = once(child, 'close');
  return {
    async end() {
      child.stdin.end();
      await closed;
      return Number(said);
    },
  };
}
