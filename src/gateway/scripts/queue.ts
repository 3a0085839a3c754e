/** Turns: so many at a time, and of those that wait one of each principal after the other, whoever asked more. */

import { GatewayError } from '../gateway.ts';

export interface Queue {
  /**
   * Calls `work` when it is its turn. Rejects with `SCRIPTS_BUSY` where too many wait, and with `SCRIPT_CANCELLED`
   * where the signal aborts before its turn has come.
   */
  take<Result>(principal: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

interface Waiting {
  readonly begin: () => void;
}

export function fairQueue(atATime: number, mostWaiting: number): Queue {
  /** Principals in the order in which their turns come; each with what it waits for, oldest first. */
  const lanes = new Map<string, Waiting[]>();
  let [running, waiting] = [0, 0];

  const next = () => {
    if (running >= atATime) return;
    const [lane] = lanes;
    if (lane === undefined) return;
    const [principal, list] = lane;
    const turn = list.shift();
    // To the end of the line, or out of it.
    lanes.delete(principal);
    if (list.length > 0) lanes.set(principal, list);
    if (turn === undefined) return;
    waiting -= 1;
    running += 1;
    turn.begin();
  };

  const turnOf = (principal: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        const list = lanes.get(principal) ?? [];
        const at = list.indexOf(turn);
        if (at === -1) return;
        list.splice(at, 1);
        if (list.length === 0) lanes.delete(principal);
        waiting -= 1;
        reject(cancelled());
      };
      const turn: Waiting = {
        begin() {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      lanes.set(principal, [...(lanes.get(principal) ?? []), turn]);
      waiting += 1;
      signal?.addEventListener('abort', leave);
      next();
    });

  return {
    async take(principal, work, signal) {
      if (signal?.aborted === true) throw cancelled();
      if (running >= atATime && waiting >= mostWaiting)
        throw new GatewayError(
          'SCRIPTS_BUSY',
          `${running} scripts are running and ${waiting} are waiting, which is all that this server takes on: try again in a while.`,
          { running, waiting },
        );
      await turnOf(principal, signal);
      try {
        return await work();
      } finally {
        running -= 1;
        next();
      }
    },
  };
}

const cancelled = () => new GatewayError('SCRIPT_CANCELLED', 'The run was cancelled before it began.');
