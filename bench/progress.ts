/** One progress bar at a time, on stderr. Silent if stderr is not a terminal. */

import { SingleBar } from 'cli-progress';

export type ShowProgress = (label: string, done: number, total: number) => void;

/** A new label replaces the bar; a finished bar is removed. */
export function progressBar(): ShowProgress {
  let bar: SingleBar | null = null;
  let shown = '';
  return (label, done, total) => {
    if (bar !== null && label === shown) bar.update(done);
    else {
      bar?.stop();
      bar = new SingleBar({
        format: '{label} {bar} {value}/{total}',
        clearOnComplete: true,
        hideCursor: true,
        stream: process.stderr,
      });
      bar.start(total, done, { label: label.padEnd(22) });
      shown = label;
    }
    if (done < total) return;
    bar.stop();
    bar = null;
  };
}
