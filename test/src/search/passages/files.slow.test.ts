import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSkillFile } from '../../../../src/search/passages/files.ts';
import { plant } from '../../sources/scan/tree.ts';

/** A sparse file of zeros. */
function plantZeros(bytes: number): string {
  const root = plant({});
  const file = openSync(join(root, 'big.md'), 'w');
  ftruncateSync(file, bytes);
  closeSync(file);
  return root;
}

/** No other files that links could lead to. */
const none = () => false;

const zeros = (bytes: number) => createHash('sha256').update(Buffer.alloc(bytes));

describe('readSkillFile', () => {
  it('returns bytes and digest', () => {
    expect(readSkillFile(plant({ 'a.md': 'abc' }), 'a.md', none)).toEqual({
      bytes: Buffer.from('abc'),
      whole: true,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    });
  });

  it('keeps the first 16 MiB of a larger file and hashes all of it', () => {
    const size = 16 * 2 ** 20 + 3;
    const read = readSkillFile(plantZeros(size), 'big.md', none);
    expect('fault' in read ? read.fault : [read.bytes.length, read.whole, read.sha256]).toEqual([
      ...[16_777_216, false, zeros(size).digest('hex')],
    ]);
  });

  it('hashes the first 256 MiB of a huge file, and its size', () => {
    const size = 2 ** 28 + 1;
    const read = readSkillFile(plantZeros(size), 'big.md', none);
    const expected = zeros(2 ** 28)
      .update(`${size} bytes`)
      .digest('hex');
    expect('fault' in read ? read.fault : read.sha256).toBe(expected);
  });

  it('reports a missing file and a directory', () => {
    const root = plant({ 'a/b': '' });
    for (const path of ['gone.md', 'a']) {
      expect(readSkillFile(root, path, none)).toMatchObject({ fault: { id: 'file-unreadable', path } });
    }
  });

  it('follows links to files of the skill only', () => {
    const root = plant({
      '.env': 'x',
      'own.md': 'own',
      'one.md': { to: '.env' },
      'two.md': { to: 'own.md' },
    });
    const read = (path: string) => readSkillFile(root, path, (own) => own === 'own.md');
    expect(read('one.md')).toMatchObject({ fault: { message: expect.stringContaining('symbolic link') } });
    expect(read('two.md')).toMatchObject({ bytes: Buffer.from('own') });
  });
});
