import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../../index/directory/memory.ts';
import { readStamps, writeStamps } from '../../../../src/catalog/indexing/stamps.ts';

describe('stamps', () => {
  it('are read as they were written', () => {
    const stamp = fc.record({ stamp: fc.string(), digest: fc.option(fc.string()) });
    const id = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.string(), fc.array(fc.tuple(id, stamp)), (generation, entries) => {
        const directory = memoryDirectory();
        writeStamps(directory, { generation, byId: new Map(entries) });
        expect(readStamps(directory)).toEqual({ generation, byId: new Map(entries) });
      }),
    );
  });

  const broken = [
    '{"stamps": []}',
    '{"generation": "1", "stamps": {}}',
    '{"generation": "1", "stamps": [["a", "s"]]}',
  ];

  it.each(['', '{', '[]', '{"a": 1}', 'null', ...broken])('are none where the file holds %j', (text) => {
    const directory = memoryDirectory();
    writeWhole(directory, 'stamps.json', new TextEncoder().encode(text));
    expect(readStamps(directory)).toEqual({ generation: '', byId: new Map() });
  });

  it('are none where there is no file', () => {
    expect(readStamps(memoryDirectory())).toEqual({ generation: '', byId: new Map() });
  });
});
