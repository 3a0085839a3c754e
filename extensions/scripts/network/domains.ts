/**
 * Lists of allowed domains: `example.org` allows that name alone, `*.example.org` every name below it. Only names
 * count: text that a resolver could read as an address, in any notation, is not a name.
 */

import { DOMAIN_PATTERN, HOST_NAME } from '../../../src/app/config/sections/scripts.ts';

/** The name in lower case without a final dot; null if it is not an internet domain name. */
export function hostName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '');
  return HOST_NAME.test(name) ? name : null;
}

/** What both lists allow, sorted. An invalid pattern allows nothing. */
export function commonDomains(granted: readonly string[], asked: readonly string[]): readonly string[] {
  const [ours, theirs] = [patternsIn(granted), patternsIn(asked)];
  // Two patterns are disjoint, or one covers the other.
  const both = ours.flatMap((own) =>
    theirs.flatMap((other) => (covers(own, other) ? [other] : covers(other, own) ? [own] : [])),
  );
  return [...new Set(both)].sort();
}

/** `host` must come from `hostName`. */
export const allowsHost = (patterns: readonly string[], host: string): boolean =>
  patternsIn(patterns).some((pattern) => covers(pattern, host));

const patternsIn = (list: readonly string[]) =>
  list.map((text) => text.toLowerCase()).filter((text) => DOMAIN_PATTERN.test(text));

const covers = (pattern: string, other: string): boolean =>
  pattern === other || (pattern.startsWith('*.') && other.endsWith(pattern.slice(1)));
