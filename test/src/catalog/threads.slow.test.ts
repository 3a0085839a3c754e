import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../temporary-folder.ts';

const THREADS = pathToFileURL(resolve(import.meta.dirname, '../../../src/catalog/threads.ts'));

it('a thread that has not answered does not keep its process alive', () => {
  const folder = temporaryFolder();
  const write = (name: string, code: string) => {
    writeFileSync(join(folder, name), code);
    return join(folder, name);
  };
  const entry = write(
    'never.mjs',
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {});",
  );
  const script = write(
    'owner.mjs',
    `import { ask, startThread } from '${THREADS}';
    ask(startThread(new URL('${pathToFileURL(entry)}')), {}, () => {});
    console.log('asked');`,
  );
  const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'asked\n' });
});
