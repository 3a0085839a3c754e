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
const LIST_ITEM = /^([-+*]|\d{1,9}[.)])(?:([ \t]+)(.*))?$/;
const RULE = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;

const HEADING = /^#{1,6}(?=[ \t]|$)/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
/** What other lines than plain text begin with. */
const SYNTAX = /^[#`~>*_<=+\-\d]/;

export function headingsOf(markdown: string): Heading[] {
  const scan = new Scan(markdown.replaceAll('\r\n', '\n').split('\n'));
  scan.run();
  return scan.headings;
}

class Scan {
  readonly headings: Heading[] = [];
  readonly #lines: readonly string[];
  /** What opened the code that is open, and how it ends: as much of the same. */
  #fence: string | null = null;
  /** What ends the HTML that is open. */
  #html: RegExp | null = null;
  /** First line of the paragraph that is open. */
  #paragraph: number | null = null;
  /** Columns by which the lines of the list item that is open are indented at least. */
  #item: number | null = null;
  /** The last line of a list item or a quote: if it is text, more text goes on with it, wherever it begins. */
  #last = '';
  /** Whether the list item has no text yet: a blank line ends it then. */
  #isEmpty = false;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  run(): void {
    for (const [at, line] of this.#lines.entries()) {
      let start = 0;
      let indent = 0;
      for (; line[start] === ' ' || line[start] === '\t'; start += 1)
        indent += line[start] === '\t' ? 4 - (indent % 4) : 1;
      const text = start === 0 ? line : line.slice(start);
      if (text !== '' && this.#item !== null && indent < this.#item && this.#isInside()) this.#leaveItem();
      if (this.#isInside()) this.#goOn(line, text, indent);
      else if (text === '') this.#close();
      else if (!this.#isInItem(text, indent) && indent < 4) this.#begin(text, indent, at);
    }
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

  #goOn(line: string, text: string, indent: number): void {
    if (this.#fence !== null) {
      const rest = text.startsWith(this.#fence) ? text.slice(this.#fence.length) : null;
      const isEnd = rest !== null && rest.replaceAll(this.#fence.charAt(0), '').trim() === '';
      if (isEnd && indent - (this.#item ?? 0) < 4) this.#fence = null;
    } else if (this.#html?.test(line)) this.#html = null;
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
    const isText = indent >= 4 || !SYNTAX.test(text) || !(beginsBlock(text) || LIST_ITEM.test(text));
    if (this.#last !== '' && isText && !beginsBlock(this.#last)) return true;
    this.#item = null;
    this.#last = '';
    return false;
  }

  /** A line outside of lists, quotes, code and HTML. */
  #begin(text: string, indent: number, at: number): void {
    const open = this.#paragraph;
    const isPlain = !SYNTAX.test(text);
    if (isPlain) this.#paragraph ??= at;
    else if (text[0] === '#' && HEADING.test(text)) this.#heading(text, at);
    else if (open !== null && UNDERLINE.test(text)) this.#underlined(text, open, at);
    else if (this.#openFence(text) || RULE.test(text)) this.#paragraph = null;
    else if (text.startsWith('>')) {
      this.#paragraph = null;
      this.#last = text.replace(/^(?:>[ \t]*)+/, '');
    } else if (!this.#beginItem(text, indent) && !this.#beginHtml(text)) this.#paragraph ??= at;
  }

  #heading(text: string, at: number): void {
    const level = HEADING.exec(text)?.[0].length ?? 0;
    const words = text.slice(level).trim();
    this.headings.push({ at, level, text: words.replace(/(?:^|[ \t])#+$/, '').trim() });
    this.#paragraph = null;
  }

  #underlined(line: string, from: number, at: number): void {
    const level = line.startsWith('=') ? 1 : 2;
    this.headings.push({ at: from, level, text: this.#lines.slice(from, at).join('\n').trim() });
    this.#paragraph = null;
  }

  #beginItem(text: string, indent: number): boolean {
    const [found, marker = '', space = '', rest = ''] = LIST_ITEM.exec(text) ?? [];
    if (found === undefined) return false;
    // A paragraph goes on with `2.` and with an empty item.
    if (this.#paragraph !== null && (!/^(?:[-+*]|1[.)])$/.test(marker) || rest.trim() === '')) return false;
    const gap = columnsOf(space);
    this.#item = indent + marker.length + (gap > 4 || rest === '' ? 1 : gap);
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
  text.startsWith('<') ? HTML.find(([begin]) => begin.test(text)) : undefined;

/** The width of white space, with tabs to every fourth column. */
function columnsOf(space: string): number {
  if (!space.includes('\t')) return space.length;
  let columns = 0;
  for (const character of space) columns += character === '\t' ? 4 - (columns % 4) : 1;
  return columns;
}
