/** The lines of a skill file, and which of them open or close front matter. `front-matter.ts` combines them. */

import { countLines } from '../base/text.ts';
import { diagnose } from './diagnostics.ts';
import type { Diagnostic } from './skill.ts';

export interface Line {
  /** Without its line end. */
  readonly text: string;
  readonly start: number;
  /** Where the next line starts. */
  readonly next: number;
  /** 1-based. */
  readonly number: number;
}

/** A line that opens front matter: `odd` if it is more than `---`; `language` if it names one other than YAML. */
export function openingFence(text: string): { odd: boolean; language: string | null } | null {
  if (text === '---' || text === '---\r') return { odd: false, language: null };
  const match = /^[\s\uFEFF]{0,3}---(-*)[ \t]*([A-Za-z][\w+#-]*)?\s*$/.exec(text);
  if (match === null) return null;
  const language = match[2]?.toLowerCase() ?? null;
  if (language !== null && match[1] !== '') return null;
  return { odd: true, language: language === 'yaml' || language === 'yml' ? null : language };
}

/** The first line, from `from` on, that begins with `---`: the same rule as gray-matter's. There is none at 0. */
export function closingFence(
  text: string,
  from: number,
): { line: Line; bodyStart: number; odd: boolean } | null {
  const at = text.indexOf('\n---', from - 1) + 1;
  const [line] = at === 0 ? [] : linesOf(text, at, countLines(text, at) + 1);
  if (line === undefined) return null;
  const bare = /^-{3,}[ \t\r]*$/.test(line.text);
  return { line, bodyStart: bare ? line.next : line.start + 3, odd: !/^---[ \t\r]*$/.test(line.text) };
}

export function oddFence(line: Line, path: string): Diagnostic {
  const message = 'The line is not exactly `---`.';
  const fix = 'Write three hyphens and nothing else, from the first column.';
  return diagnose('frontmatter-fence', path, message, { fix, line: line.number });
}

/** What tools leave above front matter: comments, a code fence, headers of a form upload. */
export function isNoise(line: string): boolean {
  const text = line.trim();
  return text === '' || /^(?:<!--.*-->|`{3,}\w*|-{10,}[\w-]*|Content-[\w-]+:.*)$/.test(text);
}

/** The first line that is not blank. */
export function firstLine(text: string): Line | null {
  for (const line of linesOf(text, 0, 1)) if (line.text.trim() !== '') return line;
  return null;
}

/** Lines from offset `from` on, the first of them numbered `number`. */
export function* linesOf(text: string, from: number, number: number): Generator<Line> {
  for (let start = from, count = number; start < text.length; count++) {
    const end = text.indexOf('\n', start);
    const next = end === -1 ? text.length : end + 1;
    const line = text.slice(start, end === -1 ? text.length : end);
    yield { text: line, start, next, number: count };
    start = next;
  }
}
