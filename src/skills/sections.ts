/**
 * The sections of a Markdown text, one per heading of `headings.ts`; `#` in code is none. `src/search/passages` splits them into
 * passages.
 */

import MarkdownIt from 'markdown-it';
import { countLines } from '../base/text.ts';
import { findHeadings } from './headings.ts';
import type { Section } from './skill.ts';

/** Longer headings are cut, in characters: headings are labels, and inline parsing of a huge line is slow. */
const MAX_HEADING = 300;
/**
 * Marks, such as `*` and `[`, that are read as Markdown: of one text, and of all headings of a file; a text with more stays as it
 * is written. The parser's time is quadratic in open brackets. Of 24,823 skill files of public catalogs no heading has 30.
 */
const MAX_MARKS = 200;
const MAX_MARKS_OF_HEADINGS = 1_000;
const MARKS = /[*_`[\]<>&\\!~\n]/g;

/** Block structure only: inline syntax takes most of the time. */
const blocks = new MarkdownIt({ html: true });
blocks.core.ruler.enableOnly(['normalize', 'block']);

const inline = new MarkdownIt({ html: true });

/**
 * Sections in order, covering the text without gaps or overlap; none for an empty text. `firstLine` is the number
 * of the text's first line in its file.
 */
export function findSections(markdown: string, firstLine: number): Section[] {
  if (markdown === '') return [];
  const total = countLines(markdown) + (markdown.endsWith('\n') ? 0 : 1);
  const starts: { at: number; level: number; heading: readonly string[] }[] = [];
  const path: { level: number; text: string }[] = [];
  let marks = 0;
  for (const { at, level, text } of findHeadings(withPlainLineEnds(markdown))) {
    path.length = path.findLastIndex((above) => above.level < level) + 1;
    marks += marksIn(text.slice(0, MAX_HEADING));
    path.push({ level, text: plainText(text, MAX_HEADING, marks > MAX_MARKS_OF_HEADINGS) });
    starts.push({ at, level, heading: path.map((each) => each.text) });
  }
  if (starts[0]?.at !== 0) starts.unshift({ at: 0, level: 0, heading: [] });
  return starts.map(({ at, level, heading }, index) => {
    const end = starts[index + 1]?.at ?? total;
    return { heading, level, lines: [firstLine + at, firstLine + end - 1] };
  });
}

/** Sections of a whole file; front matter is none, and belongs to no heading. */
export function fileSections(markdown: string): Section[] {
  const lines = frontMatterLines(markdown);
  return findSections(lines === 0 ? markdown : withoutLines(markdown, lines), lines + 1);
}

/** A key of front matter, or what continues one. */
const FRONT_MATTER_LINE = /^(?:[A-Za-z_"'][^:#]{0,100}:(?:\s|$)|[ \t]|[-\]}]|#|\r?$)/;
const MAX_FRONT_MATTER_LINES = 200;

/** Lines of the front matter at the start of a reference, fences included; 0 if there is none. */
export function frontMatterLines(markdown: string): number {
  if (!/^---[ \t]*\r?\n/.test(markdown.slice(0, 100))) return 0;
  const lines = markdown.split('\n', MAX_FRONT_MATTER_LINES);
  const close = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)[ \t]*\r?$/.test(line));
  const keys = lines.slice(1, close);
  const isYaml = keys.some((line) => /^\w/.test(line)) && keys.every((line) => FRONT_MATTER_LINE.test(line));
  return close > 0 && isYaml ? close + 1 : 0;
}

/** The text below its first lines. */
export function withoutLines(text: string, lines: number): string {
  let start = 0;
  for (let line = 0; line < lines && start < text.length; line += 1) {
    const end = text.indexOf('\n', start);
    start = end === -1 ? text.length : end + 1;
  }
  return text.slice(start);
}

/** Text of the first top-level paragraph, on one line; else of the first heading; else ''. */
export function firstParagraph(markdown: string): string {
  const tokens = blocks.parse(withPlainLineEnds(markdown), {});
  const takeContent = (type: string) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== type || token.level !== 0) continue;
      const text = plainText(tokens[index + 1]?.content ?? '', Number.POSITIVE_INFINITY);
      if (text !== '') return text;
    }
    return '';
  };
  return takeContent('paragraph_open') || takeContent('heading_open');
}

/** One line of Markdown without emphasis, links and code marks; with them where it has too many, or where that is asked for. */
export function plainText(markdown: string, limit = MAX_HEADING, asWritten = false): string {
  const source = markdown.slice(0, limit).trim();
  const marks = marksIn(source);
  if (marks === 0) return source;
  if (asWritten || marks > MAX_MARKS) return source.replace(/\s+/g, ' ');
  const [token] = inline.parseInline(source, {});
  const text = (token?.children ?? [])
    .map(({ type, content }) =>
      type === 'softbreak' || type === 'hardbreak' ? ' ' : type === 'html_inline' ? '' : content,
    )
    .join('');
  return text.replace(/\s+/g, ' ').trim() || source;
}

const marksIn = (text: string) => text.match(MARKS)?.length ?? 0;

/** markdown-it also ends lines at a lone `\r`; here it is an ordinary character. */
function withPlainLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r(?!\n)/g, ' ') : text;
}

/** The anchor of a heading as code hosts derive it: `Élan & co.` → `élan--co`. */
export const headingAnchor = (heading: string) =>
  heading
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
