/** Decodes a file's bytes to text, in whatever encoding they are. Knows nothing of the text's meaning. */

import { positionAt } from '../base/text.ts';
import { diagnose } from './diagnostics.ts';
import { guessDecoding } from './encodings.ts';
import { findGarbled } from './garbled.ts';
import type { Diagnostic } from './skill.ts';

interface Decoded {
  /** Without a byte-order mark; otherwise every character of the file. */
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Bytes inspected to distinguish UTF-16 without a byte-order mark from UTF-8 with stray NUL bytes. */
const SNIFFED_BYTES = 1_024;
/** Share of NUL bytes among the even or the odd bytes from which Latin text must be UTF-16. */
const UTF16_SHARE = 0.4;

/** Never throws. What is neither UTF-8 nor UTF-16 is read in the encoding that fits its bytes best. */
export function decodeText(bytes: Uint8Array, path: string): Decoded {
  const utf16 = utf16Flavour(bytes);
  if (utf16 !== null) {
    const text = new TextDecoder(utf16).decode(bytes);
    const fix = 'Save the file as UTF-8.';
    const found = diagnose('encoding-utf16', path, `The file is ${utf16.toUpperCase()}.`, { fix, line: 1 });
    return { text, diagnostics: [found, ...nulDiagnostics(text, path)] };
  }
  const diagnostics: Diagnostic[] = [];
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    const fix = 'Save the file as UTF-8 without a byte-order mark.';
    diagnostics.push(
      diagnose('encoding-bom', path, 'The file begins with a byte-order mark.', { fix, line: 1 }),
    );
  }
  const utf8 = new TextDecoder('utf-8').decode(bytes);
  const guess = utf8.includes('\uFFFD') && !isValidUtf8(bytes) ? guessDecoding(bytes, utf8) : null;
  const text = guess?.text ?? utf8;
  if (guess !== null) {
    const message = `Some bytes are not valid UTF-8; they were read as ${guess.encoding}.`;
    const position = positionAt(utf8, utf8.indexOf('\uFFFD'));
    diagnostics.push(
      diagnose('encoding-invalid', path, message, { fix: 'Save the file as UTF-8.', ...position }),
    );
  }
  diagnostics.push(...nulDiagnostics(text, path), ...garbledDiagnostics(text, path));
  if (text.includes('\r') && !text.includes('\n')) {
    const fix = 'End lines with a line feed.';
    const message = 'Lines end with a lone carriage return, so the file is one line.';
    diagnostics.push(diagnose('encoding-cr', path, message, { fix, line: 1 }));
  }
  return { text, diagnostics };
}

function isValidUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function utf16Flavour(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const end = Math.min(bytes.length, SNIFFED_BYTES) & ~1;
  if (end < 8) return null;
  const nuls: [even: number, odd: number] = [0, 0];
  for (let at = 0; at < end; at++) if (bytes[at] === 0) nuls[at & 1 ? 1 : 0]++;
  const [even, odd] = nuls;
  if (odd > (UTF16_SHARE * end) / 2 && even < odd / 4) return 'utf-16le';
  if (even > (UTF16_SHARE * end) / 2 && odd < even / 4) return 'utf-16be';
  return null;
}

function nulDiagnostics(text: string, path: string): Diagnostic[] {
  if (!text.includes('\0')) return [];
  const fix = 'Remove the NUL bytes.';
  return [
    diagnose('encoding-nul', path, 'The file contains NUL bytes.', {
      fix,
      ...positionAt(text, text.indexOf('\0')),
    }),
  ];
}

function garbledDiagnostics(text: string, path: string): Diagnostic[] {
  const garbled = findGarbled(text);
  if (garbled === null) return [];
  const { message, fix, at } = garbled;
  return [diagnose('encoding-garbled', path, message, { fix, ...positionAt(text, at) })];
}
