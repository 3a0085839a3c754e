import { execFileSync } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  FileError,
  GUARANTEE,
  type Guarantee,
  holdFolder,
  openBelow,
  openRegular,
} from '../../../../src/base/files/open.ts';
import { readBelow, readInside, readRegular, readRegularSync } from '../../../../src/base/files/read.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let place = '';
let folder = '';
const OWN = ['SKILL.md', 'references/a.md', 'references/b.md', 'references/x.md', 'linked.md'];
const isOwn = (path: string) => OWN.includes(path);

beforeAll(() => {
  place = realpathSync(temporaryFolder());
  writeFileSync(join(place, 'secret'), 'the secret');
});

beforeEach(() => {
  folder = join(place, 'skill');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'references'), { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), 'skill');
  writeFileSync(join(folder, 'references', 'a.md'), 'text a');
  writeFileSync(join(folder, '.env'), 'the secret');
});

/** What `openBelow` lets its caller read, or the code of its refusal. */
function read(path: string, guarantee: Guarantee = GUARANTEE): string {
  try {
    const file = openBelow(folder, path, isOwn, guarantee);
    try {
      return readFileSync(file, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return error.code;
  }
}

const GUARANTEES: readonly Guarantee[] =
  process.platform === 'linux'
    ? ['checked-descriptor', 'compared-afterwards']
    : [...new Set<Guarantee>([GUARANTEE, 'compared-afterwards'])];

describe.each(GUARANTEES)('openBelow, by %s', (guarantee) => {
  it('opens the files of the folder', () => {
    expect(read('SKILL.md', guarantee)).toBe('skill');
    expect(read('references/a.md', guarantee)).toBe('text a');
  });

  it('follows a link to another file of the folder', () => {
    symlinkSync('references/a.md', join(folder, 'linked.md'));
    symlinkSync('references', join(folder, 'docs'));
    expect(read('linked.md', guarantee)).toBe('text a');
    expect(read('docs/a.md', guarantee)).toBe('text a');
  });

  it('refuses links that lead out, by whatever part of the path', () => {
    symlinkSync(join(place, 'secret'), join(folder, 'references', 'x.md'));
    symlinkSync('..', join(folder, 'up'));
    symlinkSync(place, join(folder, 'out'));
    symlinkSync('references/x.md', join(folder, 'linked.md'));
    for (const path of ['references/x.md', 'up/secret', 'out/secret', 'linked.md'])
      expect([path, read(path, guarantee)]).toEqual([path, 'FILE_OUTSIDE']);
  });

  it('refuses links to files that lie in the folder and are not listed', () => {
    symlinkSync('.env', join(folder, 'linked.md'));
    expect(read('linked.md', guarantee)).toBe('FILE_OUTSIDE');
  });

  it('refuses a folder that has become a link itself', () => {
    renameSync(folder, join(place, 'moved'));
    symlinkSync(join(place, 'moved'), folder);
    expect(read('SKILL.md', guarantee)).toBe('FILE_OUTSIDE');
    rmSync(folder);
    rmSync(join(place, 'moved'), { recursive: true });
  });

  it('is not fooled by a folder whose name begins like its own', () => {
    mkdirSync(join(place, 'skill-twin'), { recursive: true });
    writeFileSync(join(place, 'skill-twin', 'SKILL.md'), 'twin');
    symlinkSync('../skill-twin/SKILL.md', join(folder, 'linked.md'));
    expect(read('linked.md', guarantee)).toBe('FILE_OUTSIDE');
  });

  it('says what is missing, broken or circular', () => {
    symlinkSync('nowhere', join(folder, 'linked.md'));
    symlinkSync('round', join(folder, 'round'));
    expect(read('references/none.md', guarantee)).toBe('FILE_MISSING');
    expect(read('SKILL.md/below', guarantee)).toBe('FILE_MISSING');
    expect(read('linked.md', guarantee)).toBe('FILE_MISSING');
    expect(read('round', guarantee)).toBe('FILE_UNREADABLE');
  });

  it('refuses directories, FIFOs, sockets and devices at once', async () => {
    execFileSync('mkfifo', [join(folder, 'references', 'x.md')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'references', 'b.md'), resolve));
    try {
      const started = performance.now();
      for (const path of ['references', 'references/x.md', 'references/b.md'])
        expect([path, read(path, guarantee)]).toEqual([path, 'FILE_NOT_REGULAR']);
      expect(performance.now() - started).toBeLessThan(20_000);
    } finally {
      server.close();
    }
  });
});

describe.runIf(GUARANTEE === 'checked-descriptor')('openBelow on Linux', () => {
  it('reads a file whose name was replaced after it was opened, and leaves no descriptor open', () => {
    const before = openDescriptors();
    for (let round = 0; round < 50; round++) {
      expect(read('references/a.md')).toBe('text a');
      expect(read('references')).toBe('FILE_NOT_REGULAR');
      expect(read('none')).toBe('FILE_MISSING');
    }
    expect(openDescriptors()).toBeLessThan(before + 50);
  });

  it('never reads through a link that is exchanged with the file as fast as another thread can', async () => {
    const path = join(folder, 'references', 'x.md');
    writeFileSync(path, 'text x');
    // Exchanges by renaming, so that there is always something at the path.
    const flipping = new Worker(
      `const fs = require('node:fs');
       const { path, secret } = require('node:worker_threads').workerData;
       for (let flip = 0; ; flip++) {
         const aside = path + '.aside';
         if (flip % 2) fs.writeFileSync(aside, 'text x'); else fs.symlinkSync(secret, aside);
         fs.renameSync(aside, path);
       }`,
      { eval: true, workerData: { path, secret: join(place, 'secret') } },
    );
    const seen = new Map<string, number>();
    try {
      const until = performance.now() + 1_500;
      while (performance.now() < until) {
        const found = read('references/x.md');
        seen.set(found, (seen.get(found) ?? 0) + 1);
        if (seen.size === 1) await new Promise(setImmediate);
      }
    } finally {
      await flipping.terminate();
    }
    expect([...seen.keys()].sort()).toEqual(['FILE_OUTSIDE', 'text x']);
    // Both states were met often enough for the judgement to have been raced.
    expect(Math.min(...seen.values())).toBeGreaterThan(20);
  });
});

describe('holdFolder', () => {
  it('lists the directory that it was opened for, whatever becomes of its name', () => {
    const held = holdFolder(folder);
    try {
      expect(readdirSync(held.at)).toContain('SKILL.md');
      if (GUARANTEE !== 'checked-descriptor') return;
      renameSync(folder, `${folder}-moved`);
      symlinkSync('/etc', folder);
      expect(readdirSync(held.at)).toContain('SKILL.md');
      expect(() => holdFolder(folder)).toThrow(FileError);
      expect(() => holdFolder(join(folder, 'ssl'))).toThrow(FileError);
    } finally {
      held.close();
      rmSync(`${folder}-moved`, { recursive: true, force: true });
    }
  });
});

describe('openRegular', () => {
  it('follows links wherever they lead, for files that the operator names', () => {
    symlinkSync(join(place, 'secret'), join(folder, 'linked.md'));
    const file = openRegular(join(folder, 'linked.md'));
    expect(fstatSync(file).size).toBe(10);
    closeSync(file);
  });

  it('refuses what is not a regular file at once, and names the path', () => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    expect(() => openRegular(fifo)).toThrow(`${fifo} is a FIFO. Put a regular file in its place.`);
    expect(() => openRegular(folder)).toThrow(`${folder} is a directory. Put`);
    expect(() => openRegular('/dev/null')).toThrow('/dev/null is a device. Put');
    expect(() => openRegular(join(folder, 'none'))).toThrow(
      `${join(folder, 'none')} does not exist (ENOENT).`,
    );
  });
});

describe('reading', () => {
  it('gives the bytes of a file, from none to the limit', async () => {
    for (const size of [0, 1, 4_096, 100_000]) {
      const path = join(folder, 'references', 'b.md');
      writeFileSync(path, Buffer.alloc(size, 'x'));
      const all = [
        await readRegular(path, 100_000),
        readRegularSync(path, 100_000),
        await readBelow(folder, 'references/b.md', isOwn, 100_000),
      ];
      for (const bytes of all) expect(Buffer.from(bytes).equals(Buffer.alloc(size, 'x'))).toBe(true);
    }
  });

  it('refuses a file over the limit, and says how large it is', async () => {
    const path = join(folder, 'SKILL.md');
    const expected = { code: 'FILE_TOO_LARGE', data: { path, size: 5, limit: 4 } };
    await expect(readRegular(path, 4)).rejects.toMatchObject(expected);
    expect(() => readRegularSync(path, 4)).toThrow('has 5 bytes; at most 4 are read');
    expect(readRegularSync(path, 5)).toHaveLength(5);
  });

  it.runIf(process.platform === 'linux')('bounds a file that holds more than its size says', () => {
    // A file of procfs says that it has no bytes, and has some.
    expect(readRegularSync('/proc/self/status', 100_000).length).toBeGreaterThan(100);
    expect(() => readRegularSync('/proc/self/status', 100)).toThrow('at most 100 are read');
  });

  it('reads inside a folder only regular files that are really there, within the limit', () => {
    mkdirSync(join(place, 'clone'));
    const clone = join(place, 'via');
    symlinkSync(join(place, 'clone'), clone);
    const code = (name: string, more = {}) => {
      try {
        return Buffer.from(readInside(clone, join(clone, name), { maxBytes: 10, ...more })).toString();
      } catch (error) {
        return error instanceof FileError ? error.code : String(error);
      }
    };
    writeFileSync(join(clone, 'plain'), '0123456789');
    symlinkSync('plain', join(clone, 'link'));
    symlinkSync('/dev/zero', join(clone, 'endless'));
    symlinkSync('../secret', join(clone, 'out'));
    symlinkSync('..', join(clone, 'up'));
    execFileSync('mkfifo', [join(clone, 'fifo')]);
    mkdirSync(join(clone, 'folder'));
    expect(['plain', 'link'].map((name) => code(name))).toEqual(['0123456789', '0123456789']);
    expect(['endless', 'out', 'up/secret', '../secret'].map((name) => code(name))).toEqual(
      Array(4).fill('FILE_OUTSIDE'),
    );
    expect(['fifo', 'folder', 'none'].map((name) => code(name))).toEqual([
      'FILE_NOT_REGULAR',
      'FILE_NOT_REGULAR',
      'FILE_MISSING',
    ]);
    expect(code('plain', { maxBytes: 9 })).toBe('FILE_TOO_LARGE');
    expect(code('link', { isOwn: () => false })).toBe('FILE_OUTSIDE');
  });

  it('takes a second name of the same file for what it is: a file of the folder', async () => {
    // What hard links are made of is for the file system's permissions; a fetched tree is made of them.
    linkSync(join(folder, 'references', 'a.md'), join(folder, 'references', 'b.md'));
    expect(Buffer.from(await readBelow(folder, 'references/b.md', isOwn, 100)).toString()).toBe('text a');
  });
});

function openDescriptors(): number {
  return Number(
    execFileSync('sh', ['-c', `ls /proc/${process.pid}/fd | wc -l`], { encoding: 'utf8' }).trim(),
  );
}
