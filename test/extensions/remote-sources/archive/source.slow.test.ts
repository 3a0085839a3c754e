import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { archiveSource } from '../../../../extensions/remote-sources/archive/source.ts';
import type { FetchOptions } from '../../../../src/sources/fetched.ts';
import { describeFetchedSource, fetchOptions } from '../../../contracts/fetched-source.ts';
import { plant, skillText } from '../../../src/sources/scan/tree.ts';
import { type Packed, packedFiles, tar, tarGz, zip } from './packing.ts';

const TEA = skillText('tea');
const SKILL: Packed = { path: 'tea/SKILL.md', bytes: TEA };
const POT: Packed = { path: 'pot/SKILL.md', bytes: TEA };

const FORMATS = [
  ['zip', zip],
  ['tar', tar],
  ['tar.gz', tarGz],
] as const;

for (const [format, pack] of FORMATS) {
  describeFetchedSource(`archiveSource of a .${format}`, async () => {
    const path = join(plant({}), `skills.${format}`);
    let held: Uint8Array = Buffer.alloc(0);
    return {
      kind: 'archive',
      secret: null,
      hold: async (files) => {
        held = pack(packedFiles(files));
        writeFileSync(`${path}.new`, held);
        renameSync(`${path}.new`, path);
      },
      down: async () => rmSync(path),
      up: async () => writeFileSync(path, held),
      source: (options) => archiveSource({ ...options, path }),
      close: async () => {},
    };
  });
}

/** One fetch of an archive of these bytes. */
async function fetched(bytes: Uint8Array, more: Partial<FetchOptions> & { folder?: string } = {}) {
  const root = plant({ 'skills.bin': bytes });
  const { folder, ...options } = more;
  const source = archiveSource({
    ...fetchOptions(join(root, 'place'), options),
    path: join(root, 'skills.bin'),
    ...(folder === undefined ? {} : { folder }),
  });
  await source.refresh();
  const { folders, diagnostics } = await source.scan();
  return {
    source,
    failure: source.status().failure,
    folders,
    files: folders.flatMap(({ id, files }) => files.map(({ path }) => `${id}/${path}`)),
    found: diagnostics.map(({ id, path }) => `${id} ${path}`),
  };
}

describe.each(FORMATS)('archiveSource, given a .%s', (_, pack) => {
  it.each([
    ['leads out', 'tea/../../evil.md', '`..`'],
    ['is absolute', '/etc/evil.md', 'absolute'],
  ])('takes nothing of it where a name %s', async (_, path, said) => {
    const { failure, files } = await fetched(pack([SKILL, { path, bytes: TEA }]));
    expect(failure).toContain(said);
    expect(files).toEqual([]);
  });

  it('leaves out a file whose name is odd, and says so', async () => {
    const path = 'tea/a\u0007.md';
    const { failure, files, found } = await fetched(pack([SKILL, { path, bytes: 'x' }]));
    expect(failure).toBeNull();
    expect(files).toEqual(['tea/SKILL.md']);
    expect(found).toEqual([`entry-name ${JSON.stringify(path).slice(1, -1)}`]);
  });

  it('keeps the executable bit of a file, and no other mode', async () => {
    const { folders } = await fetched(
      pack([
        SKILL,
        { path: 'tea/run.sh', bytes: 'x', mode: 0o106777 },
        { path: 'tea/a.md', bytes: 'x', mode: 0o100000 },
      ]),
    );
    const modeOf = (name: string) => statSync(join(folders[0]!.folder, name)).mode & 0o7777;
    expect([modeOf('run.sh'), modeOf('a.md')]).toEqual([0o755, 0o644]);
  });

  it('removes a single top folder from paths, unless it is the skill', async () => {
    const below = (top: string) =>
      pack(packedFiles({ [`${top}/tea/SKILL.md`]: TEA, [`${top}/README.md`]: 'x' }));
    expect((await fetched(below('repository-0123abc'))).files).toEqual(['tea/SKILL.md']);
    expect((await fetched(pack([SKILL]))).files).toEqual(['tea/SKILL.md']);
    expect((await fetched(pack([{ path: 'SKILL.md', bytes: TEA }]))).files).toEqual(['team/SKILL.md']);
  });

  it('takes a sub-folder, relative to the root or to a single top folder', async () => {
    const at = (top: string) =>
      pack(packedFiles({ [`${top}docs/x/SKILL.md`]: TEA, [`${top}skills/tea/SKILL.md`]: TEA }));
    expect((await fetched(at(''), { folder: 'skills' })).files).toEqual(['tea/SKILL.md']);
    expect((await fetched(at('repository-1/'), { folder: './skills/' })).files).toEqual(['tea/SKILL.md']);
    expect((await fetched(at('repository-1/'), { folder: 'repository-1/skills' })).files).toEqual([
      'tea/SKILL.md',
    ]);
    expect((await fetched(at(''), { folder: 'gone' })).failure).toContain('no folder gone');
    expect((await fetched(at(''), { folder: '../up' })).failure).toContain('`..`');
  });

  it('does not unpack nested archives', async () => {
    const { files } = await fetched(pack([SKILL, { path: 'tea/more.zip', bytes: zip([POT]) }]));
    expect(files).toEqual(['tea/SKILL.md', 'tea/more.zip']);
  });

  it('refuses an archive that is cut off at any position', async () => {
    const whole = pack([SKILL, { path: 'tea/a.md', bytes: noise(3_000) }, POT]);
    for (const part of [0.2, 0.5, 0.9]) {
      const { failure, files } = await fetched(whole.subarray(0, Math.floor(whole.length * part)));
      expect(failure).not.toBeNull();
      expect(files).toEqual([]);
    }
  });

  it('reads nothing behind the end of a tar', async () => {
    if (pack === zip) return;
    for (const more of [Buffer.from(noise(600_000)), tar([POT])]) {
      const rest = pack === tarGz ? gzipSync(more) : more;
      const { failure, files } = await fetched(Buffer.concat([pack([SKILL]), rest]));
      expect({ failure, files }).toEqual({ failure: null, files: ['tea/SKILL.md'] });
    }
  });

  it('refuses an archive that unpacks to two hundred times its size', async () => {
    const { failure } = await fetched(
      pack([SKILL, { path: 'tea/zeros.md', bytes: Buffer.alloc(32 * 2 ** 20) }]),
      {
        maxBytes: 2 ** 30,
      },
    );
    expect(failure).toEqual(pack === tar ? null : expect.stringContaining('bomb'));
  });

  it('counts only the bytes of skills', async () => {
    const bytes = pack([SKILL, { path: 'large.bin', bytes: noise(50_000) }]);
    expect(await fetched(bytes, { maxBytes: 10_000 })).toMatchObject({
      failure: null,
      files: ['tea/SKILL.md'],
    });
  });
});

describe('archiveSource', () => {
  it('refuses a file that is not an archive, and a path that is not a file', async () => {
    expect((await fetched(Buffer.from('Hello, this is a text.'))).failure).toContain('not an archive');
    expect((await fetched(Buffer.alloc(0))).failure).toContain('not an archive');
    const root = plant({ folder: null });
    const source = archiveSource({ ...fetchOptions(join(root, 'place')), path: join(root, 'folder') });
    await source.refresh();
    expect(source.status().failure).toContain('is not a file');
  });

  describe('given a zip', () => {
    it('says that an encrypted archive must be packed without a password', async () => {
      const { failure } = await fetched(zip([SKILL, { path: 'tea/a.md', bytes: 'x', flags: 1 }]));
      expect(failure).toContain('encrypted');
    });

    it('refuses an entry with more, fewer or other bytes than declared', async () => {
      const lies: Partial<Packed>[] = [{ claimedSize: 3 }, { claimedSize: 3_000 }, { checksum: 1 }];
      for (const lie of lies) {
        const { failure, files } = await fetched(zip([POT, { ...SKILL, ...lie }]));
        expect(failure).toContain('cannot be read');
        expect(files).toEqual([]);
      }
    });

    it('refuses overlapping entries', async () => {
      const many = Array.from({ length: 20 }, (_, at) => ({ path: `tea/${at}.md`, bytes: noise(5_000) }));
      const { failure } = await fetched(zip([SKILL, ...many].reverse(), { overlapping: true }));
      expect(failure).toContain('overlap');
    });

    it('leaves out links inside, and refuses a link that leads out', async () => {
      const link = (target: string): Packed => ({ path: 'tea/link.md', bytes: target, mode: 0o120777 });
      expect(await fetched(zip([SKILL, link('SKILL.md')]))).toMatchObject({
        files: ['tea/SKILL.md'],
        found: ['entry-special tea/link.md'],
      });
      for (const target of ['/etc/passwd', '../../secret', 'C:\\secret']) {
        expect((await fetched(zip([SKILL, link(target)]))).failure).toContain('link out of the archive');
      }
    });
  });

  describe('given a tar', () => {
    it('leaves out links, devices and pipes, and refuses a link that leads out', async () => {
      for (const [flag, target] of [
        ['2', 'SKILL.md'],
        ['1', 'tea/SKILL.md'],
        ['3', ''],
        ['4', ''],
        ['6', ''],
      ] as const) {
        const { files, found } = await fetched(tar([SKILL, { path: 'tea/odd', flag, target }]));
        expect({ files, found }).toEqual({ files: ['tea/SKILL.md'], found: ['entry-special tea/odd'] });
      }
      for (const [flag, target] of [
        ['2', '../../secret'],
        ['2', '/etc/passwd'],
        ['1', '../secret'],
      ] as const) {
        const { failure, files } = await fetched(tar([SKILL, { path: 'tea/odd', flag, target }]));
        expect(failure).toContain('link out of the archive');
        expect(files).toEqual([]);
      }
    });

    it('reads an archive of `.`', async () => {
      const { files } = await fetched(
        tar([
          { path: '../', flag: '5' },
          { path: './tea/SKILL.md', bytes: TEA },
        ]),
      );
      expect(files).toEqual(['tea/SKILL.md']);
    });

    it('refuses a header with a wrong checksum', async () => {
      const bytes = tar([SKILL, POT]);
      bytes[0] = 'T'.charCodeAt(0);
      expect((await fetched(bytes)).failure).toContain('cannot be read');
    });

    it('refuses an archive that is compressed twice', async () => {
      expect((await fetched(gzipSync(tarGz([SKILL])))).failure).toContain('compressed twice');
    });

    it('reads large files in chunks', async () => {
      const large = noise(700_000);
      const { folders } = await fetched(tarGz([SKILL, { path: 'tea/large.txt', bytes: large }, POT]));
      expect(folders.map(({ id }) => id)).toEqual(['pot', 'tea']);
      expect(readFileSync(join(folders[1]!.folder, 'large.txt'), 'utf8')).toBe(large);
    });
  });
});

/** Text that hardly compresses, always the same. */
function noise(length: number): string {
  let state = 7;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(33 + (state % 90));
  }).join('');
}
