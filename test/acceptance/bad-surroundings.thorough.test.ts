/** Promise: in every state of the folders and the index, there is a clear message and nothing is lost. */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask } from '../src/serve/stdio/ask.ts';
import { freshWorkplace, skillFile } from './command.ts';
import { serveHttp } from './http-server.ts';

/** A small disk to fill needs a mount namespace; containers often forbid it. The tests of `disk.ts` run anywhere. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

const place = freshWorkplace();

const SETTING = ['--skills', 'skills', '--index', 'index'];
const writeTwo = () => {
  place.write('skills/pdf-forms/SKILL.md', skillFile('pdf-forms', 'Fill in PDF forms.'));
  place.write('skills/csv-cleaning/SKILL.md', skillFile('csv-cleaning', 'Clean messy CSV files.'));
};
const search = async (...query: string[]) => {
  const outcome = await place.run('search', ...query, ...SETTING, '--json');
  return { ...outcome, answer: outcome.stdout === '' ? null : JSON.parse(outcome.stdout) };
};
const ids = (answer: { hits: { id: string }[] }) => answer.hits.map(({ id }) => id);

describe('the index', () => {
  it.skipIf(!canMount)(
    'survives a full disk: the message says so and the old index still answers',
    async () => {
      writeTwo();
      expect((await place.run('index', ...SETTING)).code).toBe(0);
      for (let at = 0; at < 300; at += 1)
        place.write(
          `skills/n${at}/SKILL.md`,
          skillFile(`n${at}`, `Number ${at}`, `# x\n\n${'some more text '.repeat(200)}`),
        );
      // A separate disk for the index, too small for the new segment, in a namespace that ends with the shell.
      const full = await place.shell(
        `mkdir small && mount -t tmpfs -o size=256k tmpfs small && cp -r index/. small &&
       $SKILLGATE index --skills skills --index small; code=$?;
       ls small | grep -c writing >&2; $SKILLGATE search 'clean csv' --skills skills --index small --json; exit $code`,
        ['unshare', '-rm'],
      );
      expect(full.code).toBe(1);
      expect(full.stderr).toContain('cannot be written');
      expect(full.stderr).toMatch(/^0$/m);
      expect(ids(JSON.parse(full.stdout))[0]).toBe('csv-cleaning');
      const done = JSON.parse((await place.run('index', ...SETTING, '--json')).stdout);
      expect(done.skills).toBe(302);
    },
  );

  it('made damaged anywhere, is made again with a message, and answers right', async () => {
    writeTwo();
    await place.run('index', ...SETTING);
    const files = () => readdirSync(join(place.folder, 'index')).filter((name) => name !== 'lock');
    for (const kind of ['CURRENT', 'manifest', 'segment']) {
      const path = join(place.folder, 'index', files().find((name) => name.includes(kind))!);
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length / 2)));
      const { answer, stderr } = await search('clean csv');
      expect(ids(answer)[0]).toBe('csv-cleaning');
      expect(stderr).toMatch(/(?:re)?built again|rebuilt/);
    }
    rmSync(join(place.folder, 'index', 'CURRENT'));
    expect(ids((await search('clean csv')).answer)[0]).toBe('csv-cleaning');
  });

  it('that cannot be made when a server starts is made once it can, and the server is ready then', async () => {
    writeTwo();
    place.write('index', 'a file in its way');
    const server = await serveHttp(place, 'skills');
    const ready = async () => (await ask(new URL('/readyz', server.url).href)).text;
    await expect.poll(ready).toContain('could not be opened');
    rmSync(join(place.folder, 'index'));
    await expect.poll(ready).toContain('"status":"ready"');
    expect(await server.end()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('It is a file: give a folder'),
    });
  });
});
