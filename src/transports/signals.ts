/** The two signals that ask a server to end, waited for once. */

export type Signals = Pick<NodeJS.EventEmitter, 'on' | 'once' | 'off'>;
export type EndSignal = 'SIGINT' | 'SIGTERM';

/** After `release` the next signal ends the process the hard way. */
export function firstSignal(signals: Signals): { readonly arrived: Promise<EndSignal>; release(): void } {
  let interrupted = () => {};
  let terminated = () => {};
  const arrived = new Promise<EndSignal>((resolve) => {
    interrupted = () => resolve('SIGINT');
    terminated = () => resolve('SIGTERM');
  });
  signals.once('SIGINT', interrupted);
  signals.once('SIGTERM', terminated);
  return {
    arrived,
    release() {
      signals.off('SIGINT', interrupted);
      signals.off('SIGTERM', terminated);
    },
  };
}
