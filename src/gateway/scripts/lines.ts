/** Output as it comes, told line by line: only what is whole can be made plain and searched for secrets. */

import { StringDecoder } from 'node:string_decoder';
import { plain, type Redact } from './redact.ts';

/** A line without an end is told in pieces of this many characters. */
const LONGEST = 4_000;
const KEY_BEGINS = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const KEY_ENDS = /-----END [A-Z ]*PRIVATE KEY-----/;

/** Feeds bytes of one stream; calls back for each line that has ended. What is left at the end is not told. */
export function linesOf(redact: Redact, tell: (line: string) => void): (bytes: Uint8Array) => void {
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
      if (shown !== '') tell(shown);
    }
  };
}

/** Where the first line ends; a carriage return that may be the first half of a line end is waited for. */
function endOf(text: string): number {
  const end = text.search(/\r(?=[^\n])|\r\n|\n/);
  if (end !== -1 && end <= LONGEST) return end;
  return text.length > LONGEST ? LONGEST : end;
}
