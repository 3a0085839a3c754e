import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../../index/directory/memory.ts';
import { plan, readStamps, type Stamp, writeStamps } from '../../../../src/catalog/indexing/baseline.ts';
import type { SkillFolder } from '../../../../src/sources/source.ts';

const folder = (id: string, stamp: string): SkillFolder => ({
  id,
  stamp,
  source: 's',
  uri: `skill://s/${id}/SKILL.md`,
  folder: `/s/${id}`,
  file: 'SKILL.md',
  files: [],
});
const stamps = (entries: Record<string, [stamp: string, digest: string | null]>) =>
  new Map<string, Stamp>(Object.entries(entries).map(([id, [stamp, digest]]) => [id, { stamp, digest }]));
const ids = (folders: readonly SkillFolder[]) => folders.map(({ id }) => id);

describe('plan', () => {
  it('puts each folder in exactly one list, in order', () => {
    const state = fc.record({
      stamp: fc.constantFrom('a', 'b'),
      seen: fc.constantFrom('a', 'b'),
      has: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(state, { maxLength: 8 }), (states) => {
        const folders = states.map(({ stamp }, at) => folder(`k${at}`, stamp));
        const known = new Map(
          states.flatMap(({ has }, at) => (has ? [[`k${at}`, 'd']] : []) as [string, string][]),
        );
        const seen = stamps(
          Object.fromEntries(states.map(({ seen: stamp }, at) => [`k${at}`, [stamp, 'd']])),
        );
        const { check, unchanged } = plan(folders, known, seen);
        const expected = (id: string) => {
          const { stamp, seen: before, has } = states[Number(id.slice(1))]!;
          return has && stamp === before;
        };
        expect(unchanged).toEqual(ids(folders).filter(expected));
        expect(ids(check)).toEqual(ids(folders).filter((id) => !expected(id)));
      }),
    );
  });
});

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
