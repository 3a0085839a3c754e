/**
 * The sections of a Markdown text, one per heading of `headings.ts`; `#` in code is none. `src/search/passages` splits them into
 * passages.
 */

import MarkdownIt from 'markdown-it';
import { countLines } from './decode.ts';
import { headingsOf } from './headings.ts';
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
export function sectionsOf(markdown: string, firstLine: number): Section[] {
  if (markdown === '') return [];
  const total = countLines(markdown) + (markdown.endsWith('\n') ? 0 : 1);
  const starts: { at: number; level: number; heading: readonly string[] }[] = [];
  const path: { level: number; text: string }[] = [];
  let marks = 0;
  for (const { at, level, text } of headingsOf(withPlainLineEnds(markdown))) {
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

/** Text of the first top-level paragraph, on one line; else of the first heading; else ''. */
export function firstParagraph(markdown: string): string {
  const tokens = blocks.parse(withPlainLineEnds(markdown), {});
  const contentOf = (type: string) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== type || token.level !== 0) continue;
      const text = plainText(tokens[index + 1]?.content ?? '', Number.POSITIVE_INFINITY);
      if (text !== '') return text;
    }
    return '';
  };
  return contentOf('paragraph_open') || contentOf('heading_open');
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
