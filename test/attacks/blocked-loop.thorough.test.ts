/** Work that an author of a skill can cause does not keep the others waiting. */

import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openSandbox } from '../../extensions/scripts/sandbox/open.ts';
import { watchRoots } from '../../src/sources/scan/watch.ts';

const sandbox = openSandbox({
  platform: process.platform,
  architecture: process.arch,
  uid: process.getuid?.() ?? -1,
  path: process.env.PATH ?? '',
  programs: {},
});
const { problems } = await sandbox.status();

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const MIB = 2 ** 20;

/**
 * Twenty-four processes share 400 MiB: together they are far above the limit by resident memory and below it by their share,
 * so each sample asks the kernel to walk two million pages.
 */
const SHARED_PAGES = `
import mmap, os, time
shared = mmap.mmap(-1, 400 << 20)
for at in range(0, len(shared), 4096): shared[at] = 1
for _ in range(24):
    if os.fork() == 0:
        shared.find(b'\\2')
        time.sleep(3)
        os._exit(0)
time.sleep(3)
while True:
    try: os.wait()
    except ChildProcessError: break
`;

import { temporaryFolder } from '../temporary-folder.ts';

/** That reading a map blocks no one shows test/extensions/scripts/sandbox/memory-watch.slow.test.ts; `bench/` measures it. */
it.skipIf(problems.length > 0)('a script with large memory maps is measured without killing it', async () => {
  const { killedBy, peakBytes } = await sandbox.run({
    command: 'python3',
    args: ['-c', SHARED_PAGES],
    readOnly: [],
    work: [],
    stdin: new Uint8Array(),
    env: {},
    limits: {
      wallMs: 40_000,
      cpuMs: 60_000,
      memoryBytes: 4_096 * MIB,
      processes: 100,
      fileBytes: MIB,
      workBytes: MIB,
      outputBytes: MIB,
    },
    keep: { files: 1, bytes: MIB },
  });
  // It is a legal script.
  expect({ killedBy }).toEqual({ killedBy: null });
  expect(peakBytes).toBeGreaterThan(400 * MIB);
});

/** Exchanges two names of one folder as fast as it can, for three seconds. */
const RENAMES = `
const { renameSync } = require('node:fs');
const [a, b] = process.argv.slice(2);
const end = Date.now() + 3000;
let count = 0;
while (Date.now() < end) for (let at = 0; at < 100; at += 1) { renameSync(a, b); renameSync(b, a); count += 2; }
process.send(count);
`;

it('renames in a watched folder are coalesced, and the last state is reported', async () => {
  for (let at = 0; at < 100; at += 1)
    mkdirSync(join(folder, 'root', 'skill', `part-${at}`), { recursive: true });
  writeFileSync(join(folder, 'renames.cjs'), RENAMES);
  const root = join(folder, 'root');
  const reported: (readonly string[] | null)[] = [];
  const watcher = await watchRoots([root], { onChange: (paths) => reported.push(paths) });
  const child = fork(join(folder, 'renames.cjs'), [join(root, 'skill'), join(root, 'other')]);
  const renames = await new Promise((resolve) => child.on('message', resolve)).then(Number);
  expect(renames).toBeGreaterThan(200);
  expect(reported.length).toBeLessThan(renames / 20);
  reported.length = 0;
  // The folder that stayed is watched again: a change in it is seen.
  const file = join(root, 'skill', 'part-7', 'SKILL.md');
  const change = () => {
    writeFileSync(file, 'new');
    return reported.flat();
  };
  await expect.poll(change, { interval: 1_000 }).toContain(file);
  watcher.close();
});
