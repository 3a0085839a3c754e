/** What one principal may see, call and run: the outcome of a policy. */

import type { Subject } from './choice.ts';

export interface Verdict {
  readonly allowed: boolean;
  /** One sentence for operators. It names rules, so principals must not see it. */
  readonly because: string;
}

export interface Grants {
  /** Equal for principals to whom the same rules apply: they share a view. */
  readonly key: string;
  /**
   * True where the policy hides nothing from the principal, for any catalog. How an answer is computed may depend on
   * this, but never on whether something is hidden at the moment.
   */
  readonly everything: boolean;
  visible(subject: Subject): boolean;
  /** `visible` with its reason. */
  decide(subject: Subject): Verdict;
  /** Whether `use_tool` may call it. */
  mayCall(server: string, tool: string): boolean;
  /** Whether `run_script` may run the skill's scripts. */
  mayRun(subject: Pick<Subject, 'ids'>): boolean;
  /** From the last rule that sets it; undefined where none does. */
  readonly callsPerMinute: number | undefined;
}
