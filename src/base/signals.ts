/** The two signals that end a server. */

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
