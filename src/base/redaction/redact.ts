/** Replaces secrets in a text by a mask. A secret in an unknown format without a telling name passes. */

import { SECRET_RULES } from './secret-rules.ts';

const SECRET_NAME =
  /(?:authorization|cookie|passw(?:or)?ds?|passphrase|pwd|secrets?|tokens?|(?:api|access|secret|private)[-_]?keys?|credentials?)$|(?:^|[-_])(?:pass|auth|otp|totp|mfa|pin)$/i;

/** Whether a member probably holds a credential, by its name. A number of tokens (`maxTokens`) is a count. */
export const isSecret = (name: string, value: unknown): boolean =>
  SECRET_NAME.test(name) && !(typeof value === 'number' && /tokens$/i.test(name));

const RULES = Object.values(SECRET_RULES);

/** What a secret contains, or has before it: most texts have none of it, and this test costs less than the rules. */
const MAY_HAVE =
  /[_.~+/=:-]|AKIA|ASIA|AIza|LTAI|AKID|ABSK|ABIA|ACCA|A3T|ATBB|ATATT|AQVN|dapi|cio|SK[0-9a-f]{8}|EAAA|EZ[AT]K|bearer|basic/i;

export function withoutSecrets(text: string, mask: string): string {
  if (!MAY_HAVE.test(text)) return text;
  return RULES.reduce((clean, rule) => clean.replace(rule, mask), text);
}
