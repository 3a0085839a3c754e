/** A request as it may be remembered: without secrets, on one line, and short. */

import { withoutSecrets } from '../redaction/public.ts';

/** Longer requests are cut, in characters: what is asked for stands at the beginning. */
const MAX_CHARACTERS = 400;
/** No word of it is searched. */
const MASK = '***';

/** Empty where nothing is left. Secrets go before the cut, which could take the telling half of one. */
export const requestText = (text: string): string =>
  withoutSecrets(text, MASK)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_CHARACTERS)
    .toWellFormed()
    .trim();

/** Requests that differ only in case are one. */
export const requestKey = (text: string): string => text.toLowerCase();
