/**
 * Who may see, call and run what: rules and a principal → grants. Decided before anything is looked for; how answers are
 * kept from depending on the rest is `view.ts`'s affair. Deny wins over allow, and what no rule knows is closed.
 */

import { LOCAL, type Principal } from '../principal.ts';
import { type Choice, type CompiledChoice, compileChoice, isEverything, type Subject } from './choice.ts';
import type { Grants, Verdict } from './grants.ts';
import { type Match, patternsOf } from './patterns.ts';

export interface PolicyRule {
  /** Patterns of principals' ids, `scope:` and a pattern of scopes, `*` for all. */
  readonly who: readonly string[];
  readonly allow: readonly Choice[];
  readonly deny: readonly Choice[];
  /** Patterns of `server/tool`. */
  readonly tools: readonly string[];
  /** Patterns of skills' ids. */
  readonly scripts: readonly string[];
  readonly callsPerMinute?: number;
  readonly bytesPerMinute?: number;
}

export interface PolicyOptions {
  /** What holds for whom no rule speaks of. Not given: `deny` for callers that were authenticated, else `allow`. */
  readonly default?: 'allow' | 'deny';
  /** Patterns of ids that nobody sees. */
  readonly disabled: readonly string[];
  readonly rules: readonly PolicyRule[];
}

export interface Policy {
  grantsOf(principal: Principal): Grants;
  /** True where somebody may see less than somebody else: then ids carry their source, whoever else has the name. */
  readonly restricts: boolean;
}

/** Everything for everybody. */
export const NO_POLICY: PolicyOptions = { default: 'allow', disabled: [], rules: [] };

interface CompiledRule {
  /** As people count them: from 1. */
  readonly number: number;
  readonly who: string;
  readonly speaksOf: (principal: Principal) => boolean;
  readonly allow: readonly CompiledChoice[];
  readonly deny: readonly CompiledChoice[];
  readonly tools: Match;
  readonly scripts: Match;
  readonly limits: Grants['limits'];
}

/** Grants kept ready; there are as many as sets of rules that speak of one principal. */
const KEPT = 1_000;

/** Throws `PolicyError` for patterns that cannot mean what they say. */
export function compilePolicy(options: PolicyOptions): Policy {
  const disabled = patternsOf(options.disabled);
  const rules = options.rules.map(compileRule);
  const kept = new Map<string, Grants>();
  return {
    restricts: options.default === 'deny' || rules.length > 0,
    grantsOf(principal) {
      const own = rules.filter((rule) => rule.speaksOf(principal));
      const fallback = options.default ?? (principal.id === LOCAL.id ? 'allow' : 'deny');
      const key = JSON.stringify([fallback, own.map(({ number }) => number)]);
      const grants =
        kept.get(key) ?? grantsFrom({ key, own, fallback, disabled, switchedOff: options.disabled });
      if (kept.size >= KEPT) kept.clear();
      kept.set(key, grants);
      return grants;
    },
  };
}

function compileRule(rule: PolicyRule, at: number): CompiledRule {
  const scopes = patternsOf(rule.who.filter(isScope).map((who) => who.slice(SCOPE.length)));
  // A principal that calls itself `scope:admin` has no scope by that.
  const ids = patternsOf(rule.who.filter((who) => !isScope(who)));
  return {
    number: at + 1,
    who: rule.who.join(', '),
    speaksOf: (principal) => ids([principal.id]) !== undefined || scopes(principal.scopes) !== undefined,
    allow: rule.allow.map(compileChoice),
    deny: rule.deny.map(compileChoice),
    tools: patternsOf(rule.tools),
    scripts: patternsOf(rule.scripts),
    limits: {
      ...(rule.callsPerMinute === undefined ? {} : { callsPerMinute: rule.callsPerMinute }),
      ...(rule.bytesPerMinute === undefined ? {} : { bytesPerMinute: rule.bytesPerMinute }),
    },
  };
}

const SCOPE = 'scope:';
const isScope = (who: string) => who.startsWith(SCOPE);

interface Parts {
  readonly key: string;
  /** The rules that speak of the principal, in order. */
  readonly own: readonly CompiledRule[];
  readonly fallback: 'allow' | 'deny';
  readonly disabled: Match;
  readonly switchedOff: readonly string[];
}

function grantsFrom({ key, own, fallback, disabled, switchedOff }: Parts): Grants {
  const listed = own.some(({ allow }) => allow.length > 0);
  const judge = (subject: Subject): Verdict => {
    const off = disabled(subject.ids);
    if (off !== undefined) return { allowed: false, because: `It is disabled for everybody, by ${off}.` };
    for (const { number, who, deny } of own) {
      const choice = deny.find((each) => each.takesIn(subject));
      if (choice !== undefined)
        return { allowed: false, because: `Rule ${number} (${who}) denies ${choice.written}.` };
    }
    for (const { number, who, allow } of own) {
      const choice = allow.find((each) => each.takesIn(subject));
      if (choice !== undefined)
        return { allowed: true, because: `Rule ${number} (${who}) allows ${choice.written}.` };
    }
    if (listed)
      return { allowed: false, because: `${rulesOf(own)} allow other skills, and no rule allows this one.` };
    const speakers =
      own.length === 0 ? 'No rule speaks of this principal' : `${rulesOf(own)} allow nothing by name`;
    return { allowed: fallback === 'allow', because: `${speakers}, and the default is ${fallback}.` };
  };
  const may = (list: (rule: CompiledRule) => Match, texts: readonly string[]) =>
    own.length === 0 ? fallback === 'allow' : own.some((rule) => list(rule)(texts) !== undefined);
  const everything = own.some(({ allow }) => allow.some(isEverything)) || (!listed && fallback === 'allow');
  return {
    key,
    everything: everything && switchedOff.length === 0 && own.every(({ deny }) => deny.length === 0),
    visible: (subject) => judge(subject).allowed,
    judge,
    mayCall: (server, tool) => may(({ tools }) => tools, [`${server}/${tool}`]),
    mayRun: ({ ids }) => may(({ scripts }) => scripts, ids),
    limits: Object.assign({}, ...own.map(({ limits }) => limits)),
  };
}

const rulesOf = (rules: readonly CompiledRule[]) =>
  `${rules.length === 1 ? 'Rule' : 'Rules'} ${rules.map(({ number }) => number).join(', ')}`;
