/** Replaces secrets in a text by a mask. A secret in an unknown format without a telling name passes. */

import { SECRET_RULES } from './secret-rules.ts';

/** Names of members that probably hold credentials; plurals are counts (`maxTokens`). */
export const SECRET_NAME =
  /(?:authorization|cookie|passw(?:or)?d|passphrase|pwd|secret|token|(?:api|access|secret|private)[-_]?key|credentials?)$/i;

const RULES = Object.values(SECRET_RULES);

/** What a secret contains, or has before it: most texts have none of it, and this test costs less than the rules. */
const MAY_HAVE =
  /[_.~+/=:-]|AKIA|ASIA|AIza|LTAI|AKID|ABSK|ABIA|ACCA|A3T|ATBB|ATATT|AQVN|dapi|cio|SK[0-9a-f]{8}|EAAA|EZ[AT]K|bearer|basic/i;

export function withoutSecrets(text: string, mask: string): string {
  if (!MAY_HAVE.test(text)) return text;
  return RULES.reduce((clean, rule) => clean.replace(rule, mask), text);
}
