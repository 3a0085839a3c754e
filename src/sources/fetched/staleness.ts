/** The age of a source's contents, in words. */

import type { SourceStatus } from '../fetched.ts';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `3 hours`, of the largest unit that fits; less than a second is `0 seconds`. */
export function ageText(ms: number): string {
  const [unit, length] = UNITS.find(([, length]) => ms >= length) ?? ['second', 1_000];
  const count = Math.floor(Math.max(0, ms) / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** A warning about a source that is not fresh; null if it is. */
export function staleNote(status: SourceStatus, refreshMs: number, now: number): string | null {
  const { name, verifiedAt, failure } = status;
  if (verifiedAt === null)
    return failure === null
      ? `The source ${name} has never been fetched: its skills are missing.`
      : `The source ${name} could not be fetched, so its skills are missing. ${failure}`;
  const age = now - Date.parse(verifiedAt);
  if (failure !== null)
    return `The source ${name} could not be refreshed and shows its state of ${ageText(age)} ago. ${failure}`;
  return age > refreshMs ? `The source ${name} was last checked ${ageText(age)} ago.` : null;
}
