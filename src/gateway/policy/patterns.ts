/**
 * Patterns of a policy: whole texts, with `*` for anything but a slash and `**`, between slashes, for any number of
 * folders. A lone `*` or `**` takes in everything. Nothing else is special: ids hold brackets, braces and dots.
 */

import picomatch from 'picomatch';

/** The pattern would not mean what whoever wrote it meant. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly code = 'POLICY_PATTERN';
}

/** The first pattern that takes one of the texts in, as it was written; undefined where none does. */
export type Match = (texts: readonly string[]) => string | undefined;

export const EVERYTHING: readonly string[] = ['*', '**'];

/** Texts remembered of each list of patterns: sources, tags and licences are few, and ids are asked for once. */
const REMEMBERED = 10_000;

/** Throws `PolicyError` for a pattern that looks like more than it can be. */
export function patternsOf(patterns: readonly string[], { ignoreCase = false } = {}): Match {
  const tests = patterns.map((pattern) => testOf(checked(pattern), ignoreCase));
  const known = new Map<string, number>();
  const firstOf = (text: string) => {
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    const found = tests.findIndex((test) => test(text));
    if (known.size < REMEMBERED) known.set(text, found);
    return found;
  };
  return (texts) => {
    const found = texts.map(firstOf).filter((at) => at >= 0);
    return found.length === 0 ? undefined : patterns[Math.min(...found)];
  };
}

function checked(pattern: string): string {
  if (pattern.startsWith('!'))
    throw new PolicyError(`The pattern ${pattern} begins with "!", which excludes nothing: use deny.`);
  if (/[^/]\*\*|\*\*[^/]/.test(pattern))
    throw new PolicyError(`In the pattern ${pattern}, "**" must stand alone between slashes.`);
  return pattern;
}

function testOf(pattern: string, ignoreCase: boolean): (text: string) => boolean {
  if (EVERYTHING.includes(pattern)) return () => true;
  const folded = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const wanted = folded(pattern);
  if (!pattern.includes('*')) return (text) => folded(text) === wanted;
  const escaped = wanted.replace(/[^\p{L}\p{N}_*/:\-\s]/gu, '\\$&');
  const matches = picomatch(escaped, {
    dot: true,
    nobrace: true,
    nobracket: true,
    noextglob: true,
    nonegate: true,
    // A line break in a folder's name must not end what a rule denies.
    flags: 's',
    windows: false,
  });
  return (text) => matches(folded(text));
}
