import { describe, expect, it } from 'vitest';
import { writeOutline } from '../../../extensions/postgres/outline.ts';
import { readWhole } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { SegmentReader } from '../../../index/segment/reader.ts';
import { toyIndex } from '../../contracts/candidate-index.ts';
import { toyDocument } from '../../index/toy.ts';
import { remoteFile } from '../../remote-source.ts';

const documents = Array.from({ length: 30 }, (_, at) =>
  toyDocument(`d${at}`, `word${at} kiln`, [`body ${at} `.repeat(200), 'glaze'], {
    references: ['long '.repeat(500)],
  }),
);

describe('an outline', () => {
  it('is far smaller than its segment, and says where the rest is', async () => {
    const whole = await toyIndex([documents]);
    const [name = ''] = whole.list().filter((file) => file.endsWith('.segment'));
    const outline = memoryDirectory();
    await writeOutline(outline, name, remoteFile(whole, name));
    const [full, slim] = [readWhole(whole, name), readWhole(outline, name)];
    expect(slim.length).toBeLessThan(full.length / 3);
    const { elsewhere } = new SegmentReader(outline, name).meta;
    const { sections } = new SegmentReader(whole, name);
    for (const [section, { offset, bytes }] of Object.entries(elsewhere ?? {}))
      expect(full.slice(offset, offset + bytes)).toEqual(sections.uint8(section));
  });

  it('is not written where a section fails its checksum', async () => {
    const whole = await toyIndex([documents]);
    const [name = ''] = whole.list().filter((file) => file.endsWith('.segment'));
    const file = remoteFile(whole, name);
    const outline = memoryDirectory();
    const broken = {
      ...file,
      // The contents at the end are as they were.
      read: async (from: number, to: number) =>
        to === file.size ? file.read(from, to) : (await file.read(from, to)).map((byte) => byte ^ 1),
    };
    await expect(writeOutline(outline, name, broken)).rejects.toMatchObject({ code: 'INDEX_DAMAGED' });
    expect(outline.list()).toEqual([]);
  });
});
