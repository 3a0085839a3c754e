/** What was learned as text, one JSON object a line: to keep it, to read it, or to take it to another machine. */

import { LearningError } from './errors.ts';
import type { History } from './history.ts';
import { type Known, knownOf } from './records.ts';
import { requestText } from './request-text.ts';

export const exported = (history: History): string =>
  Array.from(history.known(), (known) => `${JSON.stringify(known)}\n`).join('');

/**
 * The records of an exported text, requests without secrets. Reading a text twice adds nothing the second time. Throws
 * `LEARNED_INVALID`, which names the file that the text is from.
 */
export function imported(text: string, file: string): Known[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const known = knownOf(line);
    if (known === null) {
      const message = `Line ${at + 1} of ${file} was not written by skillgate learned export. Nothing was imported.`;
      throw new LearningError('LEARNED_INVALID', message);
    }
    const request = requestText(known.request);
    return request === '' ? [] : [{ ...known, request }];
  });
}
