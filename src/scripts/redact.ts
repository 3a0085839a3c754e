/**
 * Makes output safe to show: removes control sequences and invisible characters, and redacts secrets of known formats.
 * A secret in an unknown format passes, so do not grant a script a secret that it must not reveal.
 */

import { stripVTControlCharacters } from 'node:util';

const REDACTED = '[redacted]';

/** Formats that issuers document, and those of common headers and URLs. */
const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{36,}\b/g,
  /\bgithub_pat_\w{22,}\b/g,
  /\bglpat-[\w-]{20,}/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\b[rs]k_live_[A-Za-z0-9]{16,}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g,
  /(?<=\b(?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
  /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,100}:)[^\s:/@]{3,200}(?=@)/gi,
];
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
    for (const shape of SECRETS) clean = clean.replace(shape, REDACTED);
    return clean;
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
