/**
 * Text that was decoded in a wrong encoding and saved: `GrÃ¶ÃŸe` for `Größe`, `鍩轰簬` for `基于`, U+FFFD for what was lost.
 * The file is valid UTF-8; only its words are gone.
 */

import { cut } from '../base/text.ts';
import { decodeWindows1252 } from './encodings.ts';

interface Garbled {
  readonly message: string;
  readonly fix: string;
  /** Offset of the first garbled character. */
  readonly at: number;
}

/** Encodings in which UTF-8 is often read by mistake, and characters that the mistake makes and no text has. */
const MISTAKES: readonly { readonly encoding: string; readonly sign: RegExp; readonly run: RegExp }[] = [
  {
    encoding: 'windows-1252',
    sign: /[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2122\u20ac]/u,
    run: /[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2122\u20ac]{1,3}/gu,
  },
  {
    encoding: 'gb18030',
    sign: /[锛銆鐨鏄鍦涓浜浠鍏鍒鍔鍙鍚鍥鍩鍗澶濡瀛瀹鎬鎴鎵鏁鏂鏈鐢绋绯缁璁璇闂闇]/u,
    run: /[\u0080-\uffff]{2,60}/gu,
  },
  { encoding: 'shift_jis', sign: /[縺繧縲繝]/u, run: /[\u0080-\uffff]{2,60}/gu },
];
/** Occurrences from which a text counts as garbled: documents about encodings show one. */
const MIN_OCCURRENCES = 2;
/** Characters that are searched, and runs of them that are tried. */
const SEARCHED = 20_000;
const MAX_RUNS = 40;

const LOST = /(?<=\p{L})\ufffd|\ufffd(?=\p{L})/u;

/** Null for text as its author wrote it. */
export function findGarbled(text: string): Garbled | null {
  const start = text.slice(0, SEARCHED);
  if (!/[\u0080-\uffff]/.test(start)) return null;
  // Without this check, the look-behind at each character is 8 % of `validate` over 25,000 skills.
  const lost = start.includes('\ufffd') ? LOST.exec(start) : null;
  if (lost !== null) {
    const message = 'Characters were lost when the text was saved: U+FFFD is in their place.';
    const fix = 'Write the lost letters again, and save the file as UTF-8.';
    return { message, fix, at: lost.index };
  }
  for (const { encoding, sign, run } of MISTAKES) {
    if (!sign.test(start)) continue;
    const runs = [...start.matchAll(run)].slice(0, MAX_RUNS);
    const meant = runs.flatMap(({ 0: garbled, index }) => {
      const repaired = decodeAgain(garbled, encoding);
      return repaired === null ? [] : [{ garbled, index, repaired }];
    });
    const [first] = meant;
    if (first === undefined || !isConvincing(meant)) continue;
    const message = `UTF-8 was read as ${encoding} and saved: "${cut(first.garbled, 20)}" was "${cut(first.repaired, 20)}".`;
    const fix = 'Restore the text from its source, and save it as UTF-8.';
    return { message, fix, at: first.index };
  }
  return null;
}

/** `Å²` is a unit; `Ã¶` is nothing, and no text has several such pairs. */
function isConvincing(meant: readonly { readonly garbled: string; readonly repaired: string }[]): boolean {
  const characters = meant.flatMap(({ repaired }) => [...repaired]);
  const isTelling = meant.some(({ garbled }) => /^[ÂÃâð]/.test(garbled));
  return characters.length >= MIN_OCCURRENCES && (isTelling || new Set(characters).size > 1);
}

/** What the text was before UTF-8 was read in that encoding; null if it never was. The last character may be cut. */
function decodeAgain(garbled: string, encoding: string): string | null {
  const table = tables.get(encoding) ?? encodingTable(encoding);
  tables.set(encoding, table);
  const bytes: number[] = [];
  for (const character of garbled) {
    const code = table.get(character);
    if (code === undefined) break;
    if (code > 0xff) bytes.push(code >> 8);
    bytes.push(code & 0xff);
  }
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let end = bytes.length; end > Math.max(1, bytes.length - 3); end -= 1) {
    try {
      const text = decoder.decode(Uint8Array.from(bytes.slice(0, end)));
      return [...text].some((character) => character > '\u007f') ? text : null;
    } catch {
      // Cut in the middle of a character.
    }
  }
  return null;
}

const tables = new Map<string, ReadonlyMap<string, number>>();

/** From each character to its one or two bytes. Made on first need: few texts are garbled. */
function encodingTable(encoding: string): Map<string, number> {
  const table = new Map<string, number>();
  const decoder = new TextDecoder(encoding);
  const add = (...bytes: number[]) => {
    const character = decoder.decode(Uint8Array.from(bytes));
    if ([...character].length === 1 && !table.has(character))
      table.set(
        character,
        bytes.reduce((code, byte) => (code << 8) | byte),
      );
  };
  for (let lead = 0x80; lead <= 0xff; lead += 1) {
    if (encoding === 'windows-1252') table.set(decodeWindows1252(Uint8Array.of(lead)), lead);
    else add(lead);
    if (encoding === 'windows-1252') continue;
    for (let trail = 0x40; trail <= 0xfe; trail += 1) add(lead, trail);
  }
  table.delete('\ufffd');
  return table;
}
