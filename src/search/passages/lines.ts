/** Line positions in a text. Lines count from 0; `to` is exclusive. */

export class LineIndex {
  readonly text: string;
  /** Offset of each line, and of the end of the text. */
  readonly #starts: number[];

  constructor(text: string) {
    this.text = text;
    this.#starts = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
    if (this.#starts.at(-1) !== text.length) this.#starts.push(text.length);
  }

  /** Number of lines; a line end at the very end begins no further line. */
  get count(): number {
    return this.#starts.length - 1;
  }

  start(line: number): number {
    return this.#starts[Math.min(line, this.count)] ?? 0;
  }

  /** End offset of a line, without its line end. */
  end(line: number): number {
    let end = this.start(line + 1);
    if (end > 0 && this.text[end - 1] === '\n') end--;
    if (end > this.start(line) && this.text[end - 1] === '\r') end--;
    return end;
  }

  line(line: number): string {
    return this.text.slice(this.start(line), this.end(line));
  }

  /** Characters in lines `from` to `to`, with their line ends. */
  length(from: number, to: number): number {
    return this.start(to) - this.start(from);
  }

  /** True if lines `from` to `to` contain only white space. */
  isBlank(from: number, to: number): boolean {
    for (let at = this.start(from); at < this.start(to); at++) {
      const code = this.text.charCodeAt(at);
      if (code !== 0x20 && (code < 0x09 || code > 0x0d)) return false;
    }
    return true;
  }
}
