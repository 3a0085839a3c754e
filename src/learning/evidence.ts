/** What several principals say together of one skill and one query. */

import { LOCAL_USER } from './identity.ts';

export class Evidence {
  /** The strongest words for and against, by principal. */
  readonly #by = new Map<string, { best: number; worst: number }>();

  /** `value` is −1 to 1. */
  add(who: string, value: number): void {
    const own = this.#by.get(who);
    if (own === undefined) this.#by.set(who, { best: Math.max(0, value), worst: Math.min(0, value) });
    else {
      own.best = Math.max(own.best, value);
      own.worst = Math.min(own.worst, value);
    }
  }

  /**
   * 0–1: what the user of this machine says, or what the `least`-th most convinced of the others says, whichever is more.
   * A principal's words against the skill only cancel their own words for it, so nobody can push a skill down.
   */
  value(least: number): number {
    const net = ({ best, worst }: { best: number; worst: number }) => Math.max(0, best + worst);
    const own = this.#by.get(LOCAL_USER);
    const others = [...this.#by].flatMap(([who, said]) => (who === LOCAL_USER ? [] : net(said)));
    others.sort((a, b) => b - a);
    return Math.max(own === undefined ? 0 : net(own), others[least - 1] ?? 0);
  }
}
