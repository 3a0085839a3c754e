/**
 * The requests that a skill answers, as its author wrote them: prompts in its `evals/`, and `examples` or `representativeQueries` in
 * its front matter. Files hold them in several notations: a list, or a list below `evals`, `queries`, `prompts`, `tests` or `cases`,
 * of texts or of mappings with `prompt`, `query`, `input`, `request` or `question`. `should_trigger: false` marks a request for
 * another skill; which one, no one says, so it is left out.
 */

import { errorMessage } from '../base/errors.ts';
import { isDeeper, isRecord } from '../base/json.ts';
import { countTokens, parseYaml } from '../base/yaml.ts';
import { decodeText } from './decode.ts';
import { diagnose } from './diagnostics.ts';
import type { Diagnostic } from './skill.ts';

/** Requests of one file that are read; a skill with so many of several files has no more of them read. */
export const MOST_REQUESTS = 500;
/** Longer texts are documents. */
const MAX_CHARACTERS = 4_000;
/** Larger files hold data, not requests. */
export const MAX_EVAL_BYTES = 4 * 2 ** 20;
/** Bounds of YAML; see `countTokens`. JSON has no such limit. */
const MAX_TOKENS = 20_000;
const MAX_LEVELS = 32;

const LISTS = ['evals', 'queries', 'prompts', 'tests', 'cases', 'test_cases', 'examples'];
const TEXTS = ['prompt', 'query', 'input', 'request', 'question', 'text'];
const TRIGGERS = ['should_trigger', 'shouldTrigger', 'expected_trigger', 'triggers'];
/** Keys of the front matter and of its `metadata`. */
const KEYS = ['examples', 'representativeQueries', 'representative-queries', 'representative_queries'];

/** Whether a file of a skill may hold requests; `path` is relative to the skill's folder. */
export const isEvalFile = (path: string) => /^evals?\/.*\.(?:json|jsonl|ya?ml)$/i.test(path);

/** What a file holds: in its order, each request once, on one line. None if it is no such list: the file may be something else. */
export function readRequests(
  bytes: Uint8Array,
  path: string,
): { readonly requests: readonly string[]; readonly diagnostics: readonly Diagnostic[] } {
  const read = parsed(decodeText(bytes, path).text, path);
  if ('fault' in read) {
    const message = `The file is in evals/, but cannot be read: ${read.fault}`;
    const fix = 'Correct it, or move it out of evals/. Its requests do not help anyone to find the skill.';
    return { requests: [], diagnostics: [diagnose('requests-unreadable', path, message, { fix, line: 1 })] };
  }
  return { requests: requestsAmong(itemsIn(read.value)), diagnostics: [] };
}

/** The requests in front matter, given as YAML values. */
export function requestsOfKeys(keys: Readonly<Record<string, unknown>>): string[] {
  const metadata = isRecord(keys.metadata) ? keys.metadata : {};
  const lists = [keys, metadata].flatMap((from) => KEYS.map((key) => from[key]));
  // The specification wants texts in `metadata`: one request a line.
  return requestsAmong(
    lists.flatMap((value) => (typeof value === 'string' ? value.split('\n') : itemsIn(value))),
  );
}

/** Texts, or mappings with a text: each once, on one line; long ones are left out. */
export function requestsAmong(items: readonly unknown[]): string[] {
  const written = items.flatMap((item) => {
    if (typeof item === 'string') return [item];
    if (!isRecord(item) || TRIGGERS.some((key) => item[key] === false)) return [];
    const text = TEXTS.map((key) => item[key]).find((value) => typeof value === 'string');
    return typeof text === 'string' ? [text] : [];
  });
  const clean = written.map((request) => request.replace(/[\s\p{Cc}]+/gu, ' ').trim());
  return [...new Set(clean)]
    .filter(({ length }) => length > 0 && length <= MAX_CHARACTERS)
    .slice(0, MOST_REQUESTS);
}

function itemsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return [];
  const lists = LISTS.map((key) => value[key]).filter(Array.isArray);
  return lists.flat();
}

function parsed(text: string, path: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    if (/\.jsonl$/i.test(path)) {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return { value: lines.map((line) => JSON.parse(line)) };
    }
    if (/\.json$/i.test(path))
      return isDeeper(text, MAX_LEVELS) ? { fault: 'it is nested too deeply.' } : { value: JSON.parse(text) };
    if (countTokens(text, MAX_TOKENS) > MAX_TOKENS) return { fault: 'it is too large for YAML.' };
    const document = parseYaml(text);
    const [error] = document.errors;
    return error === undefined ? { value: document.toJS({ maxAliasCount: 0 }) } : { fault: error.message };
  } catch (error) {
    return { fault: errorMessage(error) };
  }
}
