/**
 * Arguments as JSON → input of a script: `--name value` words, and the whole object as JSON on standard input. Words go
 * to the program unchanged, without a shell.
 */

import { GatewayError } from '../../src/gateway/gateway.ts';
import type { GivenFile } from './sandbox/sandbox.ts';

/** How a skill takes arguments. `auto` gives flags and JSON, or JSON only where a value does not fit a flag. */
export type ArgumentStyle = 'auto' | 'flags' | 'stdin';

export interface Given {
  readonly words: readonly string[];
  readonly stdin: Uint8Array;
  readonly files: readonly GivenFile[];
}

/** Reserved names: words without a flag, standard input as text, files of the work folder. */
const POSITIONAL = '_';
const STDIN = '_stdin';
const FILES = '_files';

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
/** A relative path of plain segments. */
const FILE_PATH = /^(?!\.{0,2}(?:\/|$))[^/\0]{1,100}(?:\/(?!\.{0,2}(?:\/|$))[^/\0]{1,100}){0,8}$/;
/** Linux accepts 128 KiB in one word and about 2 MiB in all. */
const MAX_WORD_BYTES = 120_000;
const MAX_WORDS_BYTES = 1_000_000;
const MAX_WORDS = 1_000;
const MAX_FILES = 100;
const MAX_STDIN_BYTES = 16 * 2 ** 20;

/** Throws `SCRIPT_ARGUMENTS` for values that cannot be passed on. `script` is the script's text. */
export function givenBy(
  values: Readonly<Record<string, unknown>>,
  style: ArgumentStyle,
  script: string,
): Given {
  const { [POSITIONAL]: positional, [STDIN]: text, [FILES]: files, ...named } = values;
  if (text !== undefined && typeof text !== 'string') throw refused(`${STDIN} takes a string`);
  const stdin = Buffer.from(text ?? JSON.stringify(named));
  const asFlags = style === 'flags' || (style === 'auto' && Object.values(named).every(fitsFlag));
  const words = [
    ...(asFlags ? Object.entries(named).flatMap(([name, value]) => flag(spelled(name, script), value)) : []),
    ...positionalWords(positional),
  ];
  checkWords(words);
  if (stdin.length > MAX_STDIN_BYTES) throw refused(`${STDIN} takes at most ${MAX_STDIN_BYTES} bytes`);
  return { words, stdin, files: filesIn(files) };
}

/** Throws `SCRIPT_ARGUMENTS` for words that exceed the system's limits. */
export function checkWords(words: readonly string[]): void {
  if (words.length > MAX_WORDS) throw refused(`a script takes at most ${MAX_WORDS} words`);
  if (words.some((word) => word.includes('\0'))) throw refused('an argument holds a NUL character');
  const sizes = words.map((word) => Buffer.byteLength(word));
  if (sizes.some((size) => size > MAX_WORD_BYTES))
    throw refused(`an argument has more than ${MAX_WORD_BYTES} bytes: pass it by ${STDIN} or ${FILES}`);
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_WORDS_BYTES)
    throw refused(`the arguments have more than ${MAX_WORDS_BYTES} bytes: pass them by ${STDIN} or ${FILES}`);
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
const fitsFlag = (value: unknown) =>
  value === null || isScalar(value) || (Array.isArray(value) && value.every(isScalar));

/** `max_rows` becomes `--max-rows` where the script's text contains that flag, as most command lines spell it. */
function spelled(name: string, script: string): string {
  const hyphens = name.replaceAll('_', '-');
  return script.includes(`--${hyphens}`) && !script.includes(`--${name}`) ? hyphens : name;
}

/** True gives the flag alone, false and null give nothing, a list repeats the flag. */
function flag(name: string, value: unknown): string[] {
  if (!NAME.test(name))
    throw refused(
      `${JSON.stringify(name.slice(0, 80))} is not a valid argument name: a letter, then letters, digits, _, . and -`,
    );
  if (value === false || value === null || value === undefined) return [];
  const written = name.length === 1 ? `-${name}` : `--${name}`;
  if (value === true) return [written];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => flag(name, each));
  const text = isScalar(value) ? String(value) : JSON.stringify(value);
  // A value that looks like a flag is joined to its own with `=`.
  return text.startsWith('-') && name.length > 1 ? [`${written}=${text}`] : [written, text];
}

function positionalWords(positional: unknown): string[] {
  if (positional === undefined || positional === null) return [];
  const list: unknown[] = Array.isArray(positional) ? positional : [positional];
  if (!list.every(isScalar)) throw refused(`${POSITIONAL} takes a list of strings and numbers`);
  return list.map(String);
}

function filesIn(files: unknown): GivenFile[] {
  if (files === undefined || files === null) return [];
  if (typeof files !== 'object' || Array.isArray(files))
    throw refused(`${FILES} takes an object of strings by path`);
  const entries = Object.entries(files);
  if (entries.length > MAX_FILES) throw refused(`${FILES} takes at most ${MAX_FILES} files`);
  return entries.map(([path, text]: [string, unknown]) => {
    if (!FILE_PATH.test(path))
      throw refused(`${JSON.stringify(path.slice(0, 80))} in ${FILES} is not a relative path of plain names`);
    if (typeof text !== 'string') throw refused(`${FILES} takes strings`);
    return { path, bytes: Buffer.from(text) };
  });
}

const refused = (reason: string) =>
  new GatewayError('SCRIPT_ARGUMENTS', `The arguments cannot be passed on: ${reason}.`);
