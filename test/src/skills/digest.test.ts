import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestFiles, hashBytes, sha256InTurns } from '../../../src/skills/digest.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('digestFiles', () => {
  it('is the SHA-256 of the output of `sha256sum -z` for the files in order of path', () => {
    // sha256 of 'a' and of nothing.
    const a = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    const printed = `${empty}  SKILL.md\0${a}  b/c.md\0`;
    const expected = createHash('sha256').update(printed).digest('hex');
    const files = [
      { path: 'b/c.md', bytes: bytes('a') },
      { path: 'SKILL.md', bytes: bytes('') },
    ];
    expect(digestFiles(files)).toBe(expected);
    expect(digestFiles([{ path: 'b/c.md', sha256: a }, ...files.slice(1)])).toBe(expected);
  });

  it('changes with any path or byte, but not with the order', () => {
    const file = fc.record({
      path: fc.string({ minLength: 1, maxLength: 5 }),
      bytes: fc.uint8Array({ maxLength: 5 }),
    });
    const files = fc.uniqueArray(file, { selector: ({ path }) => path, minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(files, (given) => {
        const [first, ...others] = given;
        const digest = digestFiles(given);
        expect(digestFiles([...given].reverse())).toBe(digest);
        expect(
          digestFiles([...others, { path: first!.path, bytes: Uint8Array.of(...first!.bytes, 0) }]),
        ).not.toBe(digest);
        expect(digestFiles([...others, { path: `${first!.path}\n`, bytes: first!.bytes }])).not.toBe(digest);
        expect(digestFiles(others)).not.toBe(digest);
      }),
    );
  });
});

describe('sha256InTurns', () => {
  const MIB = 2 ** 20;

  it.each([0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 5])('is the digest of %i bytes', async (size) => {
    const given = Uint8Array.from({ length: size }, (_, at) => at % 251);
    expect(await sha256InTurns(given)).toBe(hashBytes(given));
  });

  it.each([
    [MIB, false],
    [MIB + 1, true],
  ])('of %i bytes lets other work run in between: %s', async (size, lets) => {
    let ran = false;
    setImmediate(() => {
      ran = true;
    });
    await sha256InTurns(new Uint8Array(size));
    expect(ran).toBe(lets);
  });
});
