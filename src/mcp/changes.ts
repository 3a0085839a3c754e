/** Hearing of new generations before there is a gateway to hear them from. */

import type { Gateway } from '../gateway/gateway.ts';

/** Calls back after each new generation; returns how to stop. A gateway that does not open never calls. */
export function whenChanged(
  gateway: () => Promise<Pick<Gateway, 'onChange'>>,
  listener: () => void,
): () => void {
  let stopped = false;
  let stop = () => {};
  gateway().then(
    (open) => {
      if (!stopped) stop = open.onChange(listener);
    },
    () => {},
  );
  return () => {
    stopped = true;
    stop();
  };
}
