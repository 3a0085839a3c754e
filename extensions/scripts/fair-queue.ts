/** A queue that is fair between principals: limited concurrency, and waiting principals take turns. */

import { GatewayError } from '../../src/gateway/gateway.ts';

interface Waiting {
  readonly begin: () => void;
}

export class FairQueue {
  readonly #concurrency: number;
  readonly #mostWaiting: number;
  /** Principals in the order of their turns, each with its waiting work, oldest first. */
  readonly #lanes = new Map<string, Waiting[]>();
  #running = 0;
  #waiting = 0;

  constructor(concurrency: number, mostWaiting: number) {
    this.#concurrency = concurrency;
    this.#mostWaiting = mostWaiting;
  }

  /**
   * Calls `work` when its turn comes. Rejects with `SCRIPTS_BUSY` where too many wait, and with `SCRIPT_CANCELLED` where
   * the signal aborts before the turn.
   */
  async run<Result>(principal: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (signal?.aborted === true) throw cancelled();
    const [running, waiting] = [this.#running, this.#waiting];
    if (running >= this.#concurrency && waiting >= this.#mostWaiting)
      throw new GatewayError(
        'SCRIPTS_BUSY',
        `${running} scripts are running and ${waiting} are waiting, which is the limit of this server: try again later.`,
        { data: { running, waiting } },
      );
    await this.#turnOf(principal, signal);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #turnOf(principal: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        const lane = this.#lanes.get(principal) ?? [];
        const at = lane.indexOf(turn);
        if (at === -1) return;
        lane.splice(at, 1);
        if (lane.length === 0) this.#lanes.delete(principal);
        this.#waiting -= 1;
        reject(cancelled());
      };
      const turn: Waiting = {
        begin() {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      this.#lanes.set(principal, [...(this.#lanes.get(principal) ?? []), turn]);
      this.#waiting += 1;
      signal?.addEventListener('abort', leave);
      this.#next();
    });
  }

  #next(): void {
    if (this.#running >= this.#concurrency) return;
    const [first] = this.#lanes;
    if (first === undefined) return;
    const [principal, lane] = first;
    const turn = lane.shift();
    // The principal goes to the end of the line, or leaves it.
    this.#lanes.delete(principal);
    if (lane.length > 0) this.#lanes.set(principal, lane);
    if (turn === undefined) return;
    this.#waiting -= 1;
    this.#running += 1;
    turn.begin();
  }
}

const cancelled = () => new GatewayError('SCRIPT_CANCELLED', 'The run was cancelled before it began.');
