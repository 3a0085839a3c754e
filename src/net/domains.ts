/**
 * Domains as a list allows them: `example.org` is that name alone, `*.example.org` every name below it. Names only:
 * whatever a resolver could take for an address, in any notation, is none.
 */

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
/** A last label begins with a letter: all notations of IPv4 addresses (`127.1`, `0x7f000001`) end in a number. */
const NAME = `(?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?`;
const HOST = new RegExp(`^(?=.{1,253}$)${NAME}$`);
/** In lower case, and two labels at least, so that nobody allows all of `*.com`. */
export const DOMAIN_PATTERN = new RegExp(`^(?=.{1,253}$)(?:\\*\\.)?${NAME}$`);

/** The name in its one spelling; null for what is no name of the internet. */
export function hostName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '');
  return HOST.test(name) ? name : null;
}

/** Of two lists what both allow. What is no pattern allows nothing. */
export function commonDomains(granted: readonly string[], asked: readonly string[]): readonly string[] {
  const [ours, theirs] = [patternsIn(granted), patternsIn(asked)];
  // Two patterns are disjoint, or one lies within the other.
  const both = ours.flatMap((own) =>
    theirs.flatMap((other) => (covers(own, other) ? [other] : covers(other, own) ? [own] : [])),
  );
  return [...new Set(both)].sort();
}

/** `host` as `hostName` gives it. */
export const allowsHost = (patterns: readonly string[], host: string): boolean =>
  patternsIn(patterns).some((pattern) => covers(pattern, host));

const patternsIn = (list: readonly string[]) =>
  list.map((text) => text.toLowerCase()).filter((text) => DOMAIN_PATTERN.test(text));

const covers = (pattern: string, other: string): boolean =>
  pattern === other || (pattern.startsWith('*.') && other.endsWith(pattern.slice(1)));
