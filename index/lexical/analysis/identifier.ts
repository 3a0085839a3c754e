/**
 * Identifiers from code, verbatim: `begin_create_certificate`, `PersistentAgentsClient`. As words they are folded and
 * split, so `schedule_messages` and `scheduleMessages` match each other. Verbatim, they distinguish a skill for one
 * language or library from its siblings for others.
 */

import { isBlob, LONGEST_TERM } from './word.ts';

/** Prefix of identifier terms. No word term starts with it, so both share one table of hashes. */
const SIGIL = '=';

/** The term under which an identifier is indexed. */
export const termOfIdentifier = (identifier: string) => SIGIL + identifier;

/** The identifiers of a run, in order: names in camelCase or snake_case, and names joined by `_`. */
export function identifiersOf(run: string): readonly string[] {
  if (!IDENTIFIER.test(run)) return NONE;
  const names = run.match(NAMES) ?? NONE;
  return names.filter((name) => IDENTIFIER.test(name) && name.length <= LONGEST_TERM && !isBlob(name));
}

const NONE: readonly string[] = [];
const NAMES = /[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*/g;
/** A camelCase hump, or words joined by `_`. */
const IDENTIFIER = /[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/;
