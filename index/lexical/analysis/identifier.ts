/**
 * Names of code as they are written: `begin_create_certificate`, `PersistentAgentsClient`. As words they are folded and
 * taken apart, so that `schedule_messages` and `scheduleMessages` are the same clue; written out they tell the skill
 * for one language or library from its sisters for the others.
 */

import { isBlob, LONGEST_TERM } from './word.ts';

/** A sigil that no term of a word begins with: both are kept under hashes in one table. */
const SIGIL = '=';

/** What an identifier is looked up by. */
export const termOfIdentifier = (identifier: string) => SIGIL + identifier;

/** The identifiers of a run, in order: names in camelCase or snake_case, and what several are joined to by `_`. */
export function identifiersOf(run: string): readonly string[] {
  if (!IDENTIFIER.test(run)) return NONE;
  const names = run.match(NAMES) ?? NONE;
  return names.filter((name) => IDENTIFIER.test(name) && name.length <= LONGEST_TERM && !isBlob(name));
}

const NONE: readonly string[] = [];
const NAMES = /[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*/g;
/** A hump inside, or words joined by `_`. */
const IDENTIFIER = /[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/;
