/**
 * Finds where a skill file's front matter and body begin and end, also where fences are missing or malformed.
 * `yaml.ts` reads the text between the fences; if that is not YAML, `splitShorter` tries an earlier end.
 *
 * gray-matter cannot do this: it knows a file that begins with exactly `---` only. An unclosed block makes it read
 * the whole body as YAML, and a fence such as `---js` selects an engine that evaluates code. It reports no offsets,
 * so diagnostics would have no line numbers.
 */

import { countLines } from '../base/text.ts';
import { diagnose } from './diagnostics.ts';
import { closingFence, firstLine, isNoise, type Line, linesOf, oddFence, openingFence } from './fences.ts';
import type { Diagnostic } from './skill.ts';

export interface Split {
  /** Text between the fences; null if there is no readable front matter. */
  readonly yaml: string | null;
  /** Line of the file on which `yaml` begins, 1-based. */
  readonly yamlLine: number;
  readonly body: string;
  readonly bodyLine: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** Lines in which front matter that is not first is searched; further down, `---` separates sections. */
const SEARCHED_LINES = 40;

const KEY = /^(?:[A-Za-z_][\w.-]*|"[^"]*"|'[^']*')[ \t]*:(?:\s|$)/;
const TELLING_KEY = /^(?:name|description)[ \t]*:/m;
const ADD_FENCE = 'Put a line of exactly `---` there.';
const START_FENCE = 'Begin the file with `---`, then `name:` and `description:`, then `---`.';

/** Text without front matter is returned whole, as the body. */
export function splitFrontMatter(text: string, path: string): Split {
  const lined = normaliseNewlines(text);
  const first = firstLine(lined);
  if (first === null) return withoutFrontMatter(text, path);
  const fence = openingFence(first.text);
  if (fence === null) return notFirst(text, lined, first, path) ?? withoutFrontMatter(text, path);

  const diagnostics: Diagnostic[] = [];
  if (first.number > 1) {
    const message = `The front matter begins on line ${first.number}.`;
    diagnostics.push(
      diagnose('frontmatter-leading-blank', path, message, { fix: 'Remove the blank lines.', line: 1 }),
    );
  }
  if (fence.language !== null) {
    const message = `The front matter says it is ${fence.language}, and only YAML is read.`;
    const fix = 'Write the front matter in YAML, after a line of exactly `---`.';
    const found = diagnose('frontmatter-language', path, message, { fix, line: first.number, column: 4 });
    const close = closingFence(lined, first.next);
    const bodyStart = close?.bodyStart ?? 0;
    return { ...cut(text, null, first, bodyStart), diagnostics: [...diagnostics, found] };
  }
  if (fence.odd) diagnostics.push(oddFence(first, path));
  const close = closingFence(lined, first.next);
  if (close === null) return unclosed(text, lined, first, diagnostics, path);
  if (close.odd) diagnostics.push(oddFence(close.line, path));
  return { ...cut(text, lined.slice(first.next, close.line.start), first, close.bodyStart), diagnostics };
}

/**
 * A block that is not YAML may be closed only by a `---` that separates sections of the body. Returns the split
 * after the last key; null if the keys continue to the fence.
 */
export function splitShorter(text: string, split: Split, path: string): Split | null {
  if (split.yaml === null) return null;
  const length = lengthOfKeys(split.yaml);
  // Without a blank line, the next line continues a value, and the fence is correct.
  const next = split.yaml.slice(length);
  if (length === 0 || next.trim() === '' || !/^[ \t\r]*(?:\n|#|<{7})/.test(next)) return null;
  const start = startOfLine(normaliseNewlines(text), split.yamlLine);
  // What was taken for the closing fence is none.
  const kept = split.diagnostics.filter(({ position }) => (position?.line ?? 0) < split.yamlLine);
  return guessedEnd(text, split.yaml.slice(0, length), split.yamlLine, start + length, kept, path);
}

/** The split for a block that contains no keys: it is not front matter. */
export function withoutFrontMatter(text: string, path: string, kept: readonly Diagnostic[] = []): Split {
  const found = diagnose('frontmatter-missing', path, 'There is no front matter.', {
    fix: START_FENCE,
    line: 1,
  });
  return { yaml: null, yamlLine: 1, body: text, bodyLine: 1, diagnostics: [...kept, found] };
}

function notFirst(text: string, lined: string, first: Line, path: string): Split | null {
  if (KEY.test(first.text)) {
    const close = closingFence(lined, first.start);
    const yaml = close === null ? '' : lined.slice(first.start, close.line.start);
    if (close !== null && TELLING_KEY.test(yaml) && lengthOfKeys(yaml) === yaml.length) {
      const message = 'The front matter lacks its opening `---`.';
      const found = diagnose('frontmatter-unopened', path, message, { fix: ADD_FENCE, line: first.number });
      return {
        yaml,
        yamlLine: first.number,
        body: text.slice(close.bodyStart),
        bodyLine: countLines(text, close.bodyStart) + 1,
        diagnostics: [found],
      };
    }
  }
  let preamble = false;
  for (const line of linesOf(lined, first.start, first.number)) {
    if (line.number >= first.number + SEARCHED_LINES) return null;
    const fence = openingFence(line.text);
    if (fence === null || fence.language !== null) {
      preamble ||= !isNoise(line.text);
      continue;
    }
    const close = closingFence(lined, line.next);
    const yaml = close === null ? '' : lined.slice(line.next, close.line.start);
    if (close === null || !KEY.test(yaml) || !TELLING_KEY.test(yaml)) {
      preamble = true;
      continue;
    }
    const message = `The front matter begins on line ${line.number}, below other text.`;
    const fix = 'Move the front matter to the beginning of the file.';
    const found = diagnose('frontmatter-not-first', path, message, { fix, line: line.number });
    // Text above the front matter may matter, and a body is one range: then the whole file is the body.
    const bodyStart = preamble ? 0 : close.bodyStart;
    return { ...cut(text, yaml, line, bodyStart), diagnostics: [found] };
  }
  return null;
}

function unclosed(
  text: string,
  lined: string,
  open: Line,
  diagnostics: readonly Diagnostic[],
  path: string,
): Split {
  const block = lined.slice(open.next);
  const indented = /^(?:[ \t]+---|\.\.\.)[ \t\r]*$/m.exec(block.slice(0, MAX_GUESSED));
  if (indented !== null && KEY.test(block)) {
    const start = open.next + indented.index;
    const [line] = linesOf(lined, start, countLines(lined, start) + 1);
    const split = cut(text, lined.slice(open.next, start), open, line?.next ?? text.length);
    const found = line === undefined ? [] : [oddFence(line, path)];
    return { ...split, diagnostics: [...diagnostics, ...found] };
  }
  const length = lengthOfKeys(block);
  if (length === 0) return withoutFrontMatter(text, path, diagnostics);
  const yaml = block.slice(0, length);
  return guessedEnd(text, yaml, open.number + 1, open.next + length, diagnostics, path);
}

/** Characters in which a malformed closing fence is searched. */
const MAX_GUESSED = 65_536;

function guessedEnd(
  text: string,
  yaml: string,
  yamlLine: number,
  bodyStart: number,
  diagnostics: readonly Diagnostic[],
  path: string,
): Split {
  const bodyLine = countLines(text, bodyStart) + 1;
  const message = `The front matter is not closed; line ${bodyLine} was taken for the first below it.`;
  const found = diagnose('frontmatter-unclosed', path, message, { fix: ADD_FENCE, line: bodyLine });
  return { yaml, yamlLine, body: text.slice(bodyStart), bodyLine, diagnostics: [...diagnostics, found] };
}

/** Length of the longest prefix of `block` that reads like keys, values and comments, in characters. 0: no key. */
function lengthOfKeys(block: string): number {
  let length = 0;
  let hasKey = false;
  let blank = false;
  for (const { text, next } of linesOf(block, 0, 1)) {
    const isKey = KEY.test(text);
    if (text.trim() === '') {
      blank = true;
    } else if (isKey || /^[ \t]/.test(text) || (/^(?:- |[\]}])/.test(text) && !blank)) {
      hasKey ||= isKey;
      if (!hasKey) return 0;
      blank = false;
      length = next;
    } else if (!text.startsWith('#')) {
      break;
    }
  }
  return length;
}

function cut(text: string, yaml: string | null, open: Line, bodyStart: number): Omit<Split, 'diagnostics'> {
  const body = text.slice(bodyStart);
  return { yaml, yamlLine: open.number + 1, body, bodyLine: countLines(text, bodyStart) + 1 };
}

/** The same length, so offsets are valid in both; lines of the file itself still count by `\n`. */
function normaliseNewlines(text: string): string {
  return text.includes('\n') ? text : text.replaceAll('\r', '\n');
}

function startOfLine(text: string, number: number): number {
  let start = 0;
  for (let line = 1; line < number; line++) start = text.indexOf('\n', start) + 1;
  return start;
}
