/** A byte stream as clean lines while it arrives. Only a whole line can be searched for secrets and control sequences. */

import { StringDecoder } from 'node:string_decoder';
import { plain, type Redact } from './redact.ts';

/** A longer line is reported in pieces of this many characters. */
const LONGEST = 4_000;
const KEY_BEGINS = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const KEY_ENDS = /-----END [A-Z ]*PRIVATE KEY-----/;

/** Returns a function to call with the bytes of one stream. Reports each finished line; an unfinished last one is dropped. */
export function cleanLines(redact: Redact, report: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let inKey = false;
  return (bytes) => {
    rest += decoder.write(Buffer.from(bytes));
    for (let end = endOf(rest); end !== -1; end = endOf(rest)) {
      const line = rest.slice(0, end);
      rest = rest.slice(end).replace(/^(?:\r\n|\r|\n)/, '');
      if (KEY_BEGINS.test(line)) inKey = true;
      const shown = inKey ? '' : redact(plain(line)).trim();
      if (KEY_ENDS.test(line)) inKey = false;
      if (shown !== '') report(shown);
    }
  };
}

/** End of the first line, or -1. A final carriage return may be half of a line end, so it does not end the line yet. */
function endOf(text: string): number {
  const end = text.search(/\r(?=[^\n])|\r\n|\n/);
  if (end !== -1 && end <= LONGEST) return end;
  return text.length > LONGEST ? LONGEST : end;
}
