/** What one principal may: the outcome of a policy, asked by every use case. */

import type { Subject } from './choice.ts';

export interface Verdict {
  readonly allowed: boolean;
  /** In one sentence, for operators: it speaks of rules that the principal need not know. */
  readonly because: string;
}

export interface Grants {
  /** Equal for principals of whom the same rules speak: they share a view. */
  readonly key: string;
  /**
   * True where the policy hides nothing from the principal, whatever the catalog holds. Which way an answer is made
   * may depend on this, and never on whether something is hidden at the moment.
   */
  readonly everything: boolean;
  visible(subject: Subject): boolean;
  /** `visible` with its reason. */
  judge(subject: Subject): Verdict;
  /** Whether `use_tool` may call it. */
  mayCall(server: string, tool: string): boolean;
  /** Whether scripts of the skill may be run. */
  mayRun(subject: Pick<Subject, 'ids'>): boolean;
  /** Each of the last rule that gives it; absent where none does. */
  readonly limits: { readonly callsPerMinute?: number; readonly bytesPerMinute?: number };
}
