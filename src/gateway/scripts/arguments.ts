/**
 * Arguments as JSON → what a script is given: `--name value` words, and the whole as JSON on standard input. Words go
 * to the program as they are; no shell is ever between.
 */

import type { GivenFile } from '../../sandbox/sandbox.ts';
import { GatewayError } from '../gateway.ts';

/** How a skill wants its arguments; `auto` is flags and JSON, or JSON alone where a value fits no flag. */
export type ArgumentStyle = 'auto' | 'flags' | 'stdin';

export interface Given {
  readonly words: readonly string[];
  readonly stdin: Uint8Array;
  readonly files: readonly GivenFile[];
}

/** Names with a meaning of their own: words without a flag, standard input as text, files of the work folder. */
const POSITIONAL = '_';
const STDIN = '_stdin';
const FILES = '_files';

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
/** A relative path of plain segments. */
const FILE_PATH = /^(?!\.{0,2}(?:\/|$))[^/\0]{1,100}(?:\/(?!\.{0,2}(?:\/|$))[^/\0]{1,100}){0,8}$/;
/** Linux takes 128 KiB in one word and some 2 MiB in all. */
const MOST_WORD_BYTES = 120_000;
const MOST_WORDS_BYTES = 1_000_000;
const MOST_WORDS = 1_000;
const MOST_FILES = 100;
const MOST_STDIN_BYTES = 16 * 2 ** 20;

/** Throws `SCRIPT_ARGUMENTS` for what cannot be passed on as it is meant. `script` is its text. */
export function givenBy(
  values: Readonly<Record<string, unknown>>,
  style: ArgumentStyle,
  script: string,
): Given {
  const { [POSITIONAL]: positional, [STDIN]: text, [FILES]: files, ...named } = values;
  if (text !== undefined && typeof text !== 'string') throw refused(`${STDIN} takes a text`);
  const stdin = Buffer.from(text ?? JSON.stringify(named));
  const asFlags = style === 'flags' || (style === 'auto' && Object.values(named).every(fitsFlag));
  const words = [
    ...(asFlags ? Object.entries(named).flatMap(([name, value]) => flag(spelled(name, script), value)) : []),
    ...positionalWords(positional),
  ];
  checkWords(words);
  if (stdin.length > MOST_STDIN_BYTES) throw refused(`${STDIN} takes at most ${MOST_STDIN_BYTES} bytes`);
  return { words, stdin, files: filesIn(files) };
}

/** Throws `SCRIPT_ARGUMENTS`. For words that come from a command line as well. */
export function checkWords(words: readonly string[]): void {
  if (words.length > MOST_WORDS) throw refused(`a script takes at most ${MOST_WORDS} words`);
  if (words.some((word) => word.includes('\0'))) throw refused('an argument holds a NUL character');
  const sizes = words.map((word) => Buffer.byteLength(word));
  if (sizes.some((size) => size > MOST_WORD_BYTES))
    throw refused(`an argument has more than ${MOST_WORD_BYTES} bytes: pass it by ${STDIN} or ${FILES}`);
  if (sizes.reduce((sum, size) => sum + size, 0) > MOST_WORDS_BYTES)
    throw refused(
      `the arguments have more than ${MOST_WORDS_BYTES} bytes: pass them by ${STDIN} or ${FILES}`,
    );
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
const fitsFlag = (value: unknown) =>
  value === null || isScalar(value) || (Array.isArray(value) && value.every(isScalar));

/** `max_rows` in JSON is `--max-rows` on most command lines: it is where the script's text says so. */
function spelled(name: string, script: string): string {
  const hyphens = name.replaceAll('_', '-');
  return script.includes(`--${hyphens}`) && !script.includes(`--${name}`) ? hyphens : name;
}

/** True stands alone, false and null are left out, a list repeats the flag. */
function flag(name: string, value: unknown): string[] {
  if (!NAME.test(name))
    throw refused(
      `${JSON.stringify(name.slice(0, 80))} is no name of an argument: letters, digits, _, . and - after a letter`,
    );
  if (value === false || value === null || value === undefined) return [];
  const written = name.length === 1 ? `-${name}` : `--${name}`;
  if (value === true) return [written];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => flag(name, each));
  const text = isScalar(value) ? String(value) : JSON.stringify(value);
  // A value that looks like a flag is tied to its own.
  return text.startsWith('-') && name.length > 1 ? [`${written}=${text}`] : [written, text];
}

function positionalWords(positional: unknown): string[] {
  if (positional === undefined || positional === null) return [];
  const list: unknown[] = Array.isArray(positional) ? positional : [positional];
  if (!list.every(isScalar)) throw refused(`${POSITIONAL} takes a list of texts and numbers`);
  return list.map(String);
}

function filesIn(files: unknown): GivenFile[] {
  if (files === undefined || files === null) return [];
  if (typeof files !== 'object' || Array.isArray(files))
    throw refused(`${FILES} takes an object of texts by path`);
  const entries = Object.entries(files);
  if (entries.length > MOST_FILES) throw refused(`${FILES} takes at most ${MOST_FILES} files`);
  return entries.map(([path, text]: [string, unknown]) => {
    if (!FILE_PATH.test(path))
      throw refused(`${JSON.stringify(path.slice(0, 80))} in ${FILES} is no relative path of plain names`);
    if (typeof text !== 'string') throw refused(`${FILES} takes texts`);
    return { path, bytes: Buffer.from(text) };
  });
}

const refused = (reason: string) =>
  new GatewayError('SCRIPT_ARGUMENTS', `The arguments cannot be passed on: ${reason}.`);
