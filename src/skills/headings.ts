/**
 * The headings of a Markdown text outside of lists, quotes, code and HTML, as CommonMark has them, found line by line: a parser's
 * time for nested lists grows with their depth, and only headings are wanted of them.
 */

export interface Heading {
  /** Its first line, from 0. */
  readonly at: number;
  /** 1–6. */
  readonly level: number;
  /** Markdown; of a heading that is underlined it may have several lines. */
  readonly text: string;
}

/** Elements that are blocks in CommonMark. */
const BLOCKS =
  'address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h[1-6] head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead title tr track ul';

const BLANK = /^[ \t]*$/;
/** What begins a block of HTML, what ends it, and whether it ends a paragraph. */
const HTML: readonly (readonly [begin: RegExp, end: RegExp, interrupts: boolean])[] = [
  [/^<(?:script|pre|style|textarea)(?=\s|>|$)/i, /<\/(?:script|pre|style|textarea)>/i, true],
  [/^<!--/, /-->/, true],
  [/^<\?/, /\?>/, true],
  [/^<![A-Z]/, />/, true],
  [/^<!\[CDATA\[/, /\]\]>/, true],
  [new RegExp(`^</?(?:${BLOCKS.replaceAll(' ', '|')})(?=\\s|/?>|$)`, 'i'), BLANK, true],
  [/^<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?>\s*$/i, BLANK, false],
];
const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
const RULE = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const HEADING = /^#{1,6}(?=[ \t]|$)/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
/** What other lines than plain text begin with. */
const SYNTAX = '#`~>*_<=+-0123456789';

/** Headings that are found; further ones are text. Of 24,823 skill files of public catalogs none has 200. */
const MAX_HEADINGS = 4_096;

export function findHeadings(markdown: string): Heading[] {
  const scan = new Scan(markdown.includes('\r\n') ? markdown.replaceAll('\r\n', '\n') : markdown);
  scan.run();
  return scan.headings;
}

/** Reads each line once, and looks at its first character before it tries an expression: a file may have 100,000 lines. */
class Scan {
  readonly headings: Heading[] = [];
  readonly #markdown: string;
  /** What opened the code that is open, and how it ends: as much of the same. */
  #fence: string | null = null;
  /** What ends the HTML that is open. */
  #html: RegExp | null = null;
  /** First line of the paragraph that is open, and where it starts. */
  #paragraph: { readonly at: number; readonly start: number } | null = null;
  /** Columns by which the lines of the list item that is open are indented at least. */
  #item: number | null = null;
  /** The last line of a list item or a quote: if it is text, more text goes on with it, wherever it begins. */
  #last = '';
  /** Whether the list item has no text yet: a blank line ends it then. */
  #isEmpty = false;

  constructor(markdown: string) {
    this.#markdown = markdown;
  }

  run(): void {
    const markdown = this.#markdown;
    for (let at = 0, start = 0; start <= markdown.length && this.headings.length < MAX_HEADINGS; at++) {
      const newline = markdown.indexOf('\n', start);
      const end = newline === -1 ? markdown.length : newline;
      let from = start;
      let indent = 0;
      for (; from < end; from++) {
        const code = markdown.charCodeAt(from);
        if (code === 0x20) indent += 1;
        else if (code === 0x09) indent += 4 - (indent % 4);
        else break;
      }
      if (from === end) this.#blank();
      else this.#line(markdown.slice(from, end), indent, at, start);
      start = end + 1;
    }
  }

  #blank(): void {
    if (this.#html === BLANK) this.#html = null;
    else if (!this.#isInside()) this.#close();
  }

  #line(text: string, indent: number, at: number, start: number): void {
    if (this.#item !== null && indent < this.#item && this.#isInside()) this.#leaveItem();
    if (this.#isInside()) this.#goOn(text, indent);
    else if (!this.#isInItem(text, indent) && indent < 4) this.#begin(text, indent, at, start);
  }

  /** Code or HTML is open. */
  #isInside(): boolean {
    return this.#fence !== null || this.#html !== null;
  }

  #leaveItem(): void {
    this.#fence = this.#html = this.#item = null;
  }

  #close(): void {
    if (this.#isEmpty) this.#item = null;
    this.#isEmpty = false;
    this.#paragraph = null;
    this.#last = '';
  }

  #goOn(text: string, indent: number): void {
    if (this.#fence !== null) {
      const rest = text.startsWith(this.#fence) ? text.slice(this.#fence.length) : null;
      const isEnd = rest !== null && rest.replaceAll(this.#fence.charAt(0), '').trim() === '';
      if (isEnd && indent - (this.#item ?? 0) < 4) this.#fence = null;
    } else if (this.#html?.test(text)) this.#html = null;
  }

  #openFence(text: string): boolean {
    if (text[0] !== '`' && text[0] !== '~') return false;
    const found = FENCE.exec(text);
    this.#fence = found?.[1] ?? found?.[2] ?? null;
    return this.#fence !== null;
  }

  /** Whether the line belongs to a list item or quote; if not, these end. */
  #isInItem(text: string, indent: number): boolean {
    if (this.#item !== null && indent >= this.#item) {
      this.#isEmpty = false;
      this.#last = this.#openFence(text) ? '' : text;
      return true;
    }
    if (this.#last !== '') {
      const isText = indent >= 4 || !(beginsBlock(text) || measureMarker(text) > 0);
      if (isText && !beginsBlock(this.#last)) return true;
    }
    this.#item = null;
    this.#last = '';
    return false;
  }

  /** A line outside of lists, quotes, code and HTML. */
  #begin(text: string, indent: number, at: number, start: number): void {
    const open = this.#paragraph;
    if (!SYNTAX.includes(text.charAt(0))) this.#paragraph ??= { at, start };
    else if (text[0] === '#' && HEADING.test(text)) this.#heading(text, at);
    else if (open !== null && UNDERLINE.test(text)) {
      const written = this.#markdown.slice(open.start, start).trim();
      this.headings.push({ at: open.at, level: text[0] === '=' ? 1 : 2, text: written });
      this.#paragraph = null;
    } else if (this.#openFence(text) || RULE.test(text)) this.#paragraph = null;
    else if (text[0] === '>') {
      this.#paragraph = null;
      this.#last = text.replace(/^(?:>[ \t]*)+/, '');
    } else if (!this.#beginItem(text, indent) && !this.#beginHtml(text)) this.#paragraph ??= { at, start };
  }

  #heading(text: string, at: number): void {
    const level = HEADING.exec(text)?.[0].length ?? 0;
    const words = text.slice(level).trim();
    const written = words.endsWith('#') ? words.replace(/(?:^|[ \t])#+$/, '').trim() : words;
    this.headings.push({ at, level, text: written });
    this.#paragraph = null;
  }

  #beginItem(text: string, indent: number): boolean {
    const width = measureMarker(text);
    if (width === 0) return false;
    let from = width;
    while (text[from] === ' ' || text[from] === '\t') from += 1;
    const rest = text.slice(from);
    // A paragraph goes on with `2.` and with an empty item.
    const isFirst = width === 1 || /^1[.)]/.test(text);
    if (this.#paragraph !== null && (!isFirst || rest.trim() === '')) return false;
    const gap = countColumns(text.slice(width, from));
    this.#item = indent + width + (gap > 4 || rest === '' ? 1 : gap);
    this.#paragraph = null;
    this.#last = this.#openFence(rest) ? '' : rest;
    this.#isEmpty = rest === '';
    return true;
  }

  #beginHtml(text: string): boolean {
    const found = htmlIn(text);
    if (found === undefined) return false;
    const [, end, interrupts] = found;
    if (!interrupts && this.#paragraph !== null) return false;
    this.#paragraph = null;
    if (end === BLANK || !end.test(text)) this.#html = end;
    return true;
  }
}

/** Characters of the mark that begins a list item, `-` or `12.`; 0 if the line begins none. */
function measureMarker(text: string): number {
  let digits = 0;
  while (digits < 9 && isDigit(text[digits])) digits += 1;
  const mark = text[digits];
  const isMark = digits > 0 ? mark === '.' || mark === ')' : mark === '-' || mark === '*' || mark === '+';
  const next = text[digits + 1];
  return isMark && (next === undefined || next === ' ' || next === '\t') ? digits + 1 : 0;
}

const isDigit = (character = '') => character >= '0' && character <= '9';

/** Whether the line begins a block also where it would else go on with a paragraph; lists are left out. */
function beginsBlock(text: string): boolean {
  switch (text[0]) {
    case '#':
      return HEADING.test(text);
    case '`':
    case '~':
      return FENCE.test(text);
    case '-':
    case '*':
    case '_':
      return RULE.test(text);
    case '<':
      return htmlIn(text)?.[2] === true;
    default:
      return text[0] === '>';
  }
}

const htmlIn = (text: string) =>
  /^<[a-z/!?]/i.test(text) ? HTML.find(([begin]) => begin.test(text)) : undefined;

/** The width of white space, with tabs to every fourth column. */
function countColumns(space: string): number {
  if (!space.includes('\t')) return space.length;
  let columns = 0;
  for (const character of space) columns += character === '\t' ? 4 - (columns % 4) : 1;
  return columns;
}
