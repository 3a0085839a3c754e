import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryDirectory, writeWhole } from '#index';
import { readStamps, writeStamps } from '../../../src/indexing/stamps.ts';

describe('stamps', () => {
  it('come back as they were written', () => {
    const stamp = fc.record({ stamp: fc.string(), digest: fc.option(fc.string()) });
    const id = fc.string({ unit: 'grapheme' }).filter((text) => text !== '__proto__');
    fc.assert(
      fc.property(fc.array(fc.tuple(id, stamp)), (entries) => {
        const directory = memoryDirectory();
        writeStamps(directory, new Map(entries));
        expect(readStamps(directory)).toEqual(new Map(entries));
      }),
    );
  });

  it.each(['', '{', '[]', '{"a": 1}', '{"a": ["s"]}', 'null'])('are none where the file holds %j', (text) => {
    const directory = memoryDirectory();
    writeWhole(directory, 'stamps.json', new TextEncoder().encode(text));
    expect(readStamps(directory)).toEqual(new Map());
  });

  it('are none where there is no file', () => {
    expect(readStamps(memoryDirectory())).toEqual(new Map());
  });
});
