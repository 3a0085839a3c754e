import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginningOf, contentsOf, LargeContents, turnOf } from '../../../src/mcp/large-contents.ts';

const MIB = 2 ** 20;

/** The contents as a client reads them, and the largest piece that was sent. */
async function sent(...all: readonly Uint8Array[]) {
  const large = new LargeContents();
  const answer = large.during(() => all.map((bytes) => contentsOf(bytes)));
  const chunk = Buffer.from(JSON.stringify({ contents: answer }));
  const pieces = await large.filled(chunk);
  const { contents } = JSON.parse(Buffer.concat(pieces).toString('utf8')) as {
    contents: { readonly text?: string; readonly blob?: string }[];
  };
  return { contents, chunk, largest: Math.max(...pieces.map(({ length }) => length)) };
}

describe('large contents', () => {
  it('reach the client byte for byte, whatever they are', async () => {
    const unit = fc.oneof(
      fc.constantFrom('"', '\\', '\n', '\u0000', '\u001f', '\u007f', '\u2028', '\ufeff', 'ä', '€', '😀', 'a'),
      fc.string({ maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(unit, { minLength: 1, maxLength: 40 }),
        fc.boolean(),
        async (units, isText) => {
          const pattern = Buffer.from(units.join('') || 'x');
          const bytes = Buffer.alloc(MIB + 7, pattern);
          // The last character may be cut off: that is no UTF-8.
          const whole = isText ? Buffer.from(bytes.toString('utf8').replace(/\ufffd$/, '')) : bytes;
          if (!isText) whole[3] = 0xff;
          const [found] = (await sent(whole)).contents;
          const read = isText ? Buffer.from(found?.text ?? '') : Buffer.from(found?.blob ?? '', 'base64');
          expect(read.equals(whole)).toBe(true);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('keep their order, next to small ones', async () => {
    const texts = ['a'.repeat(MIB), 'small', 'b'.repeat(MIB)].map((text) => Buffer.from(text));
    const { contents, chunk } = await sent(...texts);
    expect(contents.map(({ text }) => text?.slice(0, 6))).toEqual(['aaaaaa', 'small', 'bbbbbb']);
    expect(contents.map(({ text }) => text?.length)).toEqual([MIB, 5, MIB]);
    // What the SDK encodes at once.
    expect(chunk.length).toBeLessThan(1_000);
  });

  it('are encoded in pieces, with other work in between', async () => {
    const large = new LargeContents();
    const mark = large.during(() => contentsOf(Buffer.alloc(8 * MIB, 'a')));
    let turns = 0;
    let over = false;
    const count = () => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const pieces = await large.filled(Buffer.from(JSON.stringify(mark)));
    over = true;
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(2 ** 18);
    expect(turns).toBeGreaterThanOrEqual(pieces.length - 2);
  });

  it('are whole at once where no transport fills them in', () => {
    const text = 'a'.repeat(MIB);
    expect(contentsOf(Buffer.from(text))).toEqual({ text });
    expect(contentsOf(Buffer.from([0xff]))).toEqual({ blob: '/w==' });
  });

  it('can be looked at before they are filled in', () => {
    const large = new LargeContents();
    large.during(() => {
      const found = contentsOf(Buffer.from('€'.repeat(MIB)));
      expect('text' in found && found.text.length).toBeLessThan(100);
      expect('text' in found && beginningOf(found.text, 7)).toBe('€'.repeat(7));
    });
    expect(beginningOf('plain text', 5)).toBe('plain');
  });

  it('are made one after another, and an answer that has ended keeps nobody waiting', async () => {
    const answers = [new LargeContents(), new LargeContents(), new LargeContents()] as const;
    const begun: number[] = [];
    for (const [at, answer] of answers.entries())
      answer
        .during(() => turnOf(MIB))
        .then(
          () => begun.push(at),
          () => {},
        );
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    await settled();
    expect(begun).toEqual([0]);
    // A second file of the same answer is in the same turn.
    await answers[0].during(() => turnOf(MIB));
    // Small contents wait for nobody.
    await answers[1].during(() => turnOf(1_000));
    answers[1].release();
    await settled();
    expect(begun).toEqual([0]);
    answers[0].release();
    await expect.poll(() => begun).toEqual([0, 1, 2]);
    answers[2].release();
    // Its call went on after its connection had ended.
    const late = new LargeContents();
    late.release();
    await late.during(() => turnOf(MIB));
    await new LargeContents().during(() => turnOf(MIB));
  });

  it('of one answer are not in another, whatever its text says', async () => {
    const [mine, other] = [new LargeContents(), new LargeContents()];
    const found = mine.during(() => contentsOf(Buffer.alloc(MIB, 'a')));
    const mark = 'text' in found ? found.text : '';
    expect(Buffer.concat(await other.filled(Buffer.from(mark))).toString()).toBe(mark);
  });
});
