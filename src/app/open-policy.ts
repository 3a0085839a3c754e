/** Compiles the configured policy for the gateway. */

import { defined } from '../base/json.ts';
import { PolicyError } from '../gateway/policy/patterns.ts';
import { compilePolicy, type Policy, type PolicyOptions } from '../gateway/policy/policy.ts';
import { AppError } from './app-error.ts';
import type { Config } from './config/schema.ts';

/** Throws `SETTING_INVALID` for a pattern that has no meaning. */
export function openPolicy({ policy }: Pick<Config, 'policy'>): Policy {
  try {
    return compilePolicy(toPolicyOptions(policy));
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new AppError('SETTING_INVALID', `In the policy: ${cause.message}`, { cause });
  }
}

/** An unset default stays unset: the policy chooses one by whether clients authenticate. */
function toPolicyOptions({ default: fallback, disabled, rules }: Config['policy']): PolicyOptions {
  return {
    default: fallback,
    disabled,
    rules: rules.map(({ allow, deny, ...rule }) => ({
      ...rule,
      allow: allow.map(defined),
      deny: deny.map(defined),
    })),
  };
}
