/** From the configuration's policy to the gateway's. */

import { PolicyError } from '../gateway/policy/patterns.ts';
import { compilePolicy, type Policy, type PolicyOptions } from '../gateway/policy/policy.ts';
import type { Config } from './config/schema.ts';
import { bytes } from './config/units.ts';
import { CliError, EXIT } from './exit-codes.ts';

/** Throws `CliError` with `usage` for patterns that cannot mean what they say. */
export function policyOf({ policy }: Pick<Config, 'policy'>): Policy {
  try {
    return compilePolicy(policyOptionsOf(policy));
  } catch (error) {
    if (error instanceof PolicyError)
      throw new CliError(EXIT.usage, `In the policy: ${error.message}`, error);
    throw error;
  }
}

/** The default is left open where none is given: what it is then depends on who asks. */
function policyOptionsOf({ default: fallback, disabled, rules }: Config['policy']): PolicyOptions {
  return {
    ...(fallback === undefined ? {} : { default: fallback }),
    disabled,
    rules: rules.map(({ who, allow, deny, tools, scripts, callsPerMinute, bytesPerMinute }) => ({
      who,
      allow: allow.map(choiceOf),
      deny: deny.map(choiceOf),
      tools,
      scripts,
      ...(callsPerMinute === undefined ? {} : { callsPerMinute }),
      ...(bytesPerMinute === undefined ? {} : { bytesPerMinute: bytes(bytesPerMinute) }),
    })),
  };
}

type Rule = Config['policy']['rules'][number];

/** Without the members that are not given: zod gives them as undefined. */
const choiceOf = (choice: Rule['allow'][number]): PolicyOptions['rules'][number]['allow'][number] =>
  Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== undefined));
