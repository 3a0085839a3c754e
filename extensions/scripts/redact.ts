/**
 * Makes output safe to show: removes control sequences and invisible characters, and redacts secrets of known formats.
 * A secret in an unknown format passes, so do not grant a script a secret that it must not reveal.
 */

import { stripVTControlCharacters } from 'node:util';
import { withoutSecrets } from '../../src/base/redaction/redact.ts';

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
