/** Time limits, cancellation and back-off for promises. What a limit should be is each caller's decision. */

/**
 * The value of `work`, or of `late()` once `ms` milliseconds have passed. `work` goes on: it is not cancelled, and a
 * late rejection of it is ignored. `late` may throw, which rejects the result.
 */
export async function withTimeout<Value, Late>(
  work: Promise<Value>,
  ms: number,
  late: () => Late,
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Late>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** How long work goes on before timers, requests and files get a turn, ms. */
const TURN_MS = 10;

/** Lets other work of this thread go on between the parts of a long one: call it between them. */
export function takeTurns(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  };
}

/** The value of `work`; rejects with the signal's reason when it aborts first. `work` itself goes on. */
export async function untilAborted<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return work;
  if (signal.aborted) {
    work.catch(() => {});
    throw signal.reason;
  }
  const { promise: aborted, reject } = withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Milliseconds to wait after `failures` failures in a row (from 1): `firstMs`, doubled each time, at most `mostMs`. */
export const backoffMs = (failures: number, firstMs: number, mostMs: number): number =>
  Math.min(firstMs * 2 ** (failures - 1), mostMs);

/** The longest delay that a timer takes, ms: a longer one would fire at once. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1;

function withResolvers<Value>() {
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<Value>((_, no) => {
    reject = no;
  });
  return { promise, reject };
}

export type Signals = Pick<NodeJS.EventEmitter, 'on' | 'off'>;
export type EndSignal = 'SIGINT' | 'SIGTERM';

/** Waits for one signal. After `release`, the next signal ends the process immediately. */
export function firstSignal(signals: Signals): { readonly arrived: Promise<EndSignal>; release(): void } {
  let interrupted = () => {};
  let terminated = () => {};
  const arrived = new Promise<EndSignal>((resolve) => {
    interrupted = () => resolve('SIGINT');
    terminated = () => resolve('SIGTERM');
  });
  // Not once(): libraries that see no other listener during the signal would end the process.
  signals.on('SIGINT', interrupted);
  signals.on('SIGTERM', terminated);
  return {
    arrived,
    release() {
      signals.off('SIGINT', interrupted);
      signals.off('SIGTERM', terminated);
    },
  };
}
