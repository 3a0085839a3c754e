/** How old what a source holds is, in words. */

import type { SourceStatus } from './sources/fetched.ts';

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

/** What to say of a source that is not as fresh as it should be; null where there is nothing to say. */
export function staleNote(status: SourceStatus, refreshMs: number, now: number): string | null {
  const { name, verifiedAt, failure } = status;
  if (verifiedAt === null)
    return failure === null
      ? `The source ${name} has never been fetched: its skills are missing.`
      : `The source ${name} could not be fetched, so its skills are missing. ${failure}`;
  const age = now - Date.parse(verifiedAt);
  if (failure !== null)
    return `The source ${name} could not be refreshed and is as it was ${ageText(age)} ago. ${failure}`;
  return age > refreshMs ? `The source ${name} was last looked at ${ageText(age)} ago.` : null;
}
