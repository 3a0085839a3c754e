/**
 * Who may see, call and run what: rules and a principal → grants, decided before any search. Deny wins over allow, and
 * tools and scripts that no rule names are refused. `view.ts` keeps hidden skills from influencing answers.
 */

import { LRUCache } from 'lru-cache';
import { type Choice, type CompiledChoice, compileChoice, isEverything, type Subject } from './choice.ts';
import { compilePatterns, type Match } from './patterns.ts';
import { LOCAL, type Principal } from './principal.ts';

interface Verdict {
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

export interface PolicyRule {
  /** Patterns of principals' ids; `scope:` and a pattern of scopes; `*` for everybody. */
  readonly who: readonly string[];
  readonly allow: readonly Choice[];
  readonly deny: readonly Choice[];
  /** Patterns of `server/tool`. */
  readonly tools: readonly string[];
  /** Patterns of skills' ids. */
  readonly scripts: readonly string[];
  readonly callsPerMinute?: number | undefined;
}

export interface PolicyOptions {
  /** For principals without a matching rule. Default: `deny` for authenticated callers, else `allow`. */
  readonly default?: 'allow' | 'deny' | undefined;
  /** Patterns of ids that are hidden from everybody. */
  readonly disabled: readonly string[];
  readonly rules: readonly PolicyRule[];
}

export interface Policy {
  grantsOf(principal: Principal): Grants;
  /** True where principals may see different skills: then every id is qualified by its source. */
  readonly restricts: boolean;
}

interface CompiledRule {
  /** From 1, in the order of the configuration. */
  readonly number: number;
  readonly who: string;
  readonly appliesTo: (principal: Principal) => boolean;
  readonly allow: readonly CompiledChoice[];
  readonly deny: readonly CompiledChoice[];
  readonly tools: Match;
  readonly scripts: Match;
  readonly callsPerMinute: number | undefined;
}

/** Grants kept: one for each set of rules that applies to a principal. */
const MAX_GRANTS = 1_000;

/** Throws `PolicyError` for patterns with syntax that is not supported. */
export function compilePolicy(options: PolicyOptions): Policy {
  const disabled = compilePatterns(options.disabled);
  const rules = options.rules.map(compileRule);
  const cache = new LRUCache<string, Grants>({ max: MAX_GRANTS });
  return {
    restricts: options.default === 'deny' || rules.length > 0,
    grantsOf(principal) {
      const own = rules.filter((rule) => rule.appliesTo(principal));
      const fallback = options.default ?? (principal.id === LOCAL.id ? 'allow' : 'deny');
      const key = JSON.stringify([fallback, own.map(({ number }) => number)]);
      const grants =
        cache.get(key) ??
        grantsFrom({ key, own, fallback, disabled, hidesNone: options.disabled.length === 0 });
      cache.set(key, grants);
      return grants;
    },
  };
}

function compileRule(rule: PolicyRule, at: number): CompiledRule {
  const scopes = compilePatterns(rule.who.filter(isScope).map((who) => who.slice(SCOPE.length)));
  // A principal whose id is `scope:admin` does not get that scope.
  const ids = compilePatterns(rule.who.filter((who) => !isScope(who)));
  return {
    number: at + 1,
    who: rule.who.join(', '),
    appliesTo: (principal) => ids([principal.id]) !== undefined || scopes(principal.scopes) !== undefined,
    allow: rule.allow.map(compileChoice),
    deny: rule.deny.map(compileChoice),
    tools: compilePatterns(rule.tools),
    scripts: compilePatterns(rule.scripts),
    callsPerMinute: rule.callsPerMinute,
  };
}

const SCOPE = 'scope:';
const isScope = (who: string) => who.startsWith(SCOPE);

interface Inputs {
  readonly key: string;
  /** The rules that apply to the principal, in order. */
  readonly own: readonly CompiledRule[];
  readonly fallback: 'allow' | 'deny';
  readonly disabled: Match;
  /** Whether `disabled` has no pattern. */
  readonly hidesNone: boolean;
}

function grantsFrom({ key, own, fallback, disabled, hidesNone }: Inputs): Grants {
  const listed = own.some(({ allow }) => allow.length > 0);
  const decide = (subject: Subject): Verdict => {
    const off = disabled(subject.ids);
    if (off !== undefined) return { allowed: false, because: `It is disabled for all callers, by ${off}.` };
    for (const { number, who, deny } of own) {
      const choice = deny.find((each) => each.matches(subject));
      if (choice !== undefined)
        return { allowed: false, because: `Rule ${number} (${who}) denies ${choice.written}.` };
    }
    for (const { number, who, allow } of own) {
      const choice = allow.find((each) => each.matches(subject));
      if (choice !== undefined)
        return { allowed: true, because: `Rule ${number} (${who}) allows ${choice.written}.` };
    }
    if (listed)
      return {
        allowed: false,
        because: `${groupRules(own)} ${own.length === 1 ? 'allows' : 'allow'} other skills, and no rule allows this one.`,
      };
    const rules =
      own.length === 0
        ? 'No rule applies to this principal'
        : `${groupRules(own)} ${own.length === 1 ? 'allows' : 'allow'} nothing by name`;
    return { allowed: fallback === 'allow', because: `${rules}, and the default is ${fallback}.` };
  };
  const may = (list: (rule: CompiledRule) => Match, texts: readonly string[]) =>
    own.length === 0 ? fallback === 'allow' : own.some((rule) => list(rule)(texts) !== undefined);
  const everything = own.some(({ allow }) => allow.some(isEverything)) || (!listed && fallback === 'allow');
  return {
    key,
    everything: everything && hidesNone && own.every(({ deny }) => deny.length === 0),
    visible: (subject) => decide(subject).allowed,
    decide,
    mayCall: (server, tool) => may(({ tools }) => tools, [`${server}/${tool}`]),
    mayRun: ({ ids }) => may(({ scripts }) => scripts, ids),
    callsPerMinute: own.findLast((rule) => rule.callsPerMinute !== undefined)?.callsPerMinute,
  };
}

const groupRules = (rules: readonly CompiledRule[]) =>
  `${rules.length === 1 ? 'Rule' : 'Rules'} ${rules.map(({ number }) => number).join(', ')}`;
