/**
 * What a script writes, made safe to show while it runs and at its end: without control sequences and invisible characters, and
 * with secrets of known formats redacted. A secret in an unknown format passes, so do not grant a script a secret that it must
 * not reveal.
 */

import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { parseJson } from '../../src/base/json.ts';
import { withoutSecrets } from '../../src/base/redaction/redact.ts';
import type { ScriptOutcome } from '../../src/gateway/scripts.ts';
import type { RunResult } from './sandbox/sandbox.ts';

const REDACTED = '[redacted]';

/** Shorter values of granted variables are too common as words to be redacted. */
const SHORTEST_VALUE = 6;

/** Control characters except line feed and tab, and characters that reverse or hide text. Two joiners are part of words. */
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}]|[\u{e0100}-\u{e01ef}]/gu;

export type Redact = (text: string) => string;

/** `values` of granted variables are secrets in any format. */
export function redactor(values: readonly string[]): Redact {
  const known = values.filter((value) => value.length >= SHORTEST_VALUE).sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const value of known) clean = clean.replaceAll(value, REDACTED);
    return withoutSecrets(clean, REDACTED);
  };
}

/** Text without control sequences and invisible characters; line ends become `\n`. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/\r\n?/g, '\n').replace(HIDDEN, '');
}

/** A JSON value with every string in it cleaned and redacted, member names included. */
export function cleaned(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(plain(value));
  if (Array.isArray(value)) return value.map((each) => cleaned(each, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redact(plain(name)), cleaned(member, redact)]),
  );
}

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
    for (let end = findTextEnd(rest); end !== -1; end = findTextEnd(rest)) {
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
function findTextEnd(text: string): number {
  const end = text.search(/\r(?=[^\n])|\r\n|\n/);
  if (end !== -1 && end <= LONGEST) return end;
  return text.length > LONGEST ? LONGEST : end;
}

/** The part of the outcome that describes what was run. */
export type Ran = Pick<ScriptOutcome, 'skill' | 'digest' | 'path' | 'runId' | 'files' | 'wanted' | 'traffic'>;

export function toOutcome(ran: Ran, result: RunResult, redact: Redact): ScriptOutcome {
  const text = (bytes: Uint8Array) => redact(plain(Buffer.from(bytes).toString('utf8')));
  const json = result.truncated ? undefined : jsonIn(result.stdout);
  return {
    ...ran,
    traffic: {
      reached: ran.traffic.reached,
      refused: ran.traffic.refused.map(({ domain, reason }) => ({ domain: redact(domain), reason })),
    },
    exitCode: result.exitCode,
    signal: result.signal,
    killedBy: result.killedBy,
    stdout: text(result.stdout),
    stderr: text(result.stderr),
    truncated: result.truncated,
    ...(json !== undefined && { json: cleaned(json, redact) }),
    leftOut: result.leftOut.map(({ path, reason }) => ({ path: redact(plain(path)), reason })),
    durationMs: Math.round(result.wallMs),
    cpuMs: result.cpuMs,
    peakBytes: result.peakBytes,
  };
}

/** Standard output as JSON where it is an object or a list. A lone number or word is text. */
function jsonIn(stdout: Uint8Array): unknown {
  const text = Buffer.from(stdout).toString('utf8').trim();
  return /^[[{]/.test(text) ? parseJson(text) : undefined;
}

/** Redacts secrets in a text file, also of an encoding that extends ASCII. Files with a NUL byte stay unchanged. */
export function cleanFile<File extends { readonly path: string; readonly bytes: Uint8Array }>(
  file: File,
  redact: Redact,
): File {
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length);
  if (bytes.includes(0)) return file;
  // Latin-1 keeps every byte, whatever encoding it is of.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const clean = redact(text);
  return clean === text ? file : { ...file, bytes: Buffer.from(clean, encoding) };
}
