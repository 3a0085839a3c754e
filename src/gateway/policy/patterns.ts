/**
 * Patterns of a policy. They match whole texts: `*` matches anything except a slash; `**`, between slashes, matches any
 * number of folders; a lone `*` or `**` matches everything. No other character is special, since ids contain brackets,
 * braces and dots.
 */

import picomatch from 'picomatch';
import { CodedError } from '../../base/errors.ts';

/** `POLICY_PATTERN`: a pattern that would not match what its author expects. */
export class PolicyError extends CodedError<'POLICY_PATTERN'> {
  override readonly name = 'PolicyError';
}

/** The first pattern that matches one of the texts, as written; undefined where none does. */
export type Match = (texts: readonly string[]) => string | undefined;

export const EVERYTHING: readonly string[] = ['*', '**'];

/** Results cached per list of patterns: sources, tags and licences are few, and each id is asked for once. */
const MAX_CACHED = 10_000;

/** Throws `PolicyError` for a pattern with syntax that is not supported. */
export function compilePatterns(patterns: readonly string[], { ignoreCase = false } = {}): Match {
  const tests = patterns.map((pattern) => compilePattern(checked(pattern), ignoreCase));
  const cache = new Map<string, number>();
  const findFirst = (text: string) => {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const found = tests.findIndex((test) => test(text));
    if (cache.size < MAX_CACHED) cache.set(text, found);
    return found;
  };
  return (texts) => {
    const found = texts.map(findFirst).filter((at) => at >= 0);
    return found.length === 0 ? undefined : patterns[Math.min(...found)];
  };
}

function checked(pattern: string): string {
  if (pattern.startsWith('!'))
    throw new PolicyError(
      'POLICY_PATTERN',
      `The pattern ${pattern} begins with "!", which excludes nothing: use deny.`,
    );
  if (/[^/]\*\*|\*\*[^/]/.test(pattern))
    throw new PolicyError('POLICY_PATTERN', `In the pattern ${pattern}, "**" must be alone between slashes.`);
  return pattern;
}

function compilePattern(pattern: string, ignoreCase: boolean): (text: string) => boolean {
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
    // A rule must also match names with a line break.
    flags: 's',
    windows: false,
  });
  return (text) => matches(folded(text));
}
