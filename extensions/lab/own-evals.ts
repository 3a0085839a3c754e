/**
 * The requests in a skill's own `evals/` that should find it. Authors write them in several notations: a list, or a list below
 * `evals`, `queries`, `prompts`, `tests` or `cases`, of texts or of mappings with `prompt`, `query`, `input`, `request` or
 * `question`. `should_trigger: false` marks a request for another skill; which one, nobody says, so it is left out.
 */

import { parse as parseYaml } from 'yaml';
import { isRecord } from '../../src/base/json.ts';

/** Requests of one file that are read. */
const MOST = 500;
/** Longer texts are documents. */
const MAX_CHARACTERS = 4_000;
const LISTS = ['evals', 'queries', 'prompts', 'tests', 'cases', 'test_cases', 'examples'];
const TEXTS = ['prompt', 'query', 'input', 'request', 'question', 'text'];
const TRIGGERS = ['should_trigger', 'shouldTrigger', 'expected_trigger', 'triggers'];

/** Whether a file of a skill may hold such requests; `path` is relative to the skill's folder. */
export const isEvalFile = (path: string) => /^evals?\/.*\.(?:json|jsonl|ya?ml)$/i.test(path);

/** In the order of the file, each once. Empty for a text that is no such list: the file may be something else. */
export function requestsIn(text: string, path: string): string[] {
  const found = itemsIn(parsed(text, path)).flatMap((item) => {
    if (typeof item === 'string') return [item];
    if (!isRecord(item) || TRIGGERS.some((key) => item[key] === false)) return [];
    const written = TEXTS.map((key) => item[key]).find((value) => typeof value === 'string');
    return typeof written === 'string' ? [written] : [];
  });
  const clean = found.map((request) => request.replace(/\s+/g, ' ').trim());
  return [...new Set(clean)].filter(({ length }) => length > 0 && length <= MAX_CHARACTERS).slice(0, MOST);
}

function itemsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return [];
  const lists = LISTS.map((key) => value[key]).filter(Array.isArray);
  return lists.flat();
}

function parsed(text: string, path: string): unknown {
  try {
    if (/\.jsonl$/i.test(path))
      return text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line));
    return /\.json$/i.test(path) ? JSON.parse(text) : parseYaml(text, { maxAliasCount: 0 });
  } catch {
    return null;
  }
}
