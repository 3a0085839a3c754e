/** Promise: in every state of the folders and the index, there is a clear message and nothing is lost. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../src/serve/stdio/ask.ts';
import { skillFile, type Workplace, workplace } from './command.ts';
import { serveHttp } from './http-server.ts';

/** A small disk to fill needs a mount namespace; containers often forbid it. The tests of `disk.ts` run anywhere. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

let place: Workplace;
beforeEach(() => {
  place = workplace();
});
afterEach(() => place.remove());

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

describe('folders', () => {
  it('an empty folder gives an empty catalog, not an error', async () => {
    place.write('skills/.keep', '');
    const { code, answer, stderr } = await search('anything');
    expect(answer.hits).toEqual([]);
    expect(code).toBe(3);
    expect(stderr).not.toMatch(/at .*\.js:\d/);
  });

  it('a folder that is a file is named in a diagnostic; the others are served', async () => {
    writeTwo();
    place.write('file', 'not a folder');
    const { code, stdout } = await place.run('index', 'skills', 'file', '--index', 'index', '--json');
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.skills).toBe(2);
    expect(
      report.diagnostics.map(({ diagnostic }: { diagnostic: { severity: string } }) => diagnostic.severity),
    ).toEqual(['error']);
  });

  it.skipIf(process.getuid?.() === 0)('an unreadable file is a diagnostic', async () => {
    writeTwo();
    chmodSync(join(place.folder, 'skills/pdf-forms/SKILL.md'), 0);
    const report = JSON.parse((await place.run('index', ...SETTING, '--json')).stdout);
    expect(report.skills).toBe(1);
    expect(report.diagnostics).toHaveLength(1);
  });

  it('a skill file that is a dangling link is a diagnostic, and the others are served', async () => {
    writeTwo();
    place.write('skills/broken/.keep', '');
    symlinkSync(join(place.folder, 'nowhere'), join(place.folder, 'skills/broken/SKILL.md'));
    const report = JSON.parse((await place.run('index', ...SETTING, '--json')).stdout);
    expect(report.skills).toBe(2);
  });

  it('a folder that disappears takes its skills with it, and back', async () => {
    writeTwo();
    expect(ids((await search('fill in pdf forms')).answer)[0]).toBe('pdf-forms');
    renameSync(join(place.folder, 'skills/pdf-forms'), join(place.folder, 'elsewhere'));
    expect(ids((await search('fill in pdf forms')).answer)).toEqual(['csv-cleaning']);
    renameSync(join(place.folder, 'elsewhere'), join(place.folder, 'skills/pdf-forms'));
    expect(ids((await search('fill in pdf forms')).answer)[0]).toBe('pdf-forms');
  });
});

describe('the index', () => {
  it('lets two writers take turns', async () => {
    writeTwo();
    const outcomes = await Promise.all([1, 2, 3].map(() => place.run('index', ...SETTING)));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(ids((await search('csv')).answer)).toContain('csv-cleaning');
  });

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
    await expect.poll(ready, { timeout: 30_000 }).toContain('could not be opened');
    rmSync(join(place.folder, 'index'));
    await expect.poll(ready, { timeout: 30_000 }).toContain('"status":"ready"');
    expect(await server.end()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('It is a file: give a folder'),
    });
  });

  it('of another format version is made again', async () => {
    writeTwo();
    await place.run('index', ...SETTING);
    const folder = join(place.folder, 'index');
    const current = JSON.parse(readFileSync(join(folder, 'CURRENT'), 'utf8'));
    const manifest = JSON.parse(readFileSync(join(folder, current.name), 'utf8'));
    const { createHash } = await import('node:crypto');
    const other = `${JSON.stringify({ ...manifest, format: 99 })}\n`;
    writeFileSync(join(folder, current.name), other);
    const sha256 = createHash('sha256').update(other).digest('hex');
    writeFileSync(join(folder, 'CURRENT'), JSON.stringify({ name: current.name, sha256 }));
    const { answer, stderr } = await search('clean csv');
    expect(stderr).toContain('format 99');
    expect(ids(answer)[0]).toBe('csv-cleaning');
  });

  it('of another model is made again with that model, and back', async () => {
    writeTwo();
    await place.run('index', ...SETTING);
    const model = `${import.meta.dirname}/../../models/static`;
    const { stderr, stdout } = await place.run(
      'search',
      'clean csv',
      ...SETTING,
      '--embedder',
      model,
      '--json',
    );
    expect(stderr).toContain('model');
    expect(JSON.parse(stdout).search.model).not.toBe((await search('clean csv')).answer.search.model);
  });
});

describe('queries', () => {
  it.each([
    ['of 100 KB', 'clean csv '.repeat(10_000)],
    ['with control characters', 'clean\u0000\u0007 csv\u001b[31m'],
    ['with lone surrogates', 'clean csv \ud800'],
    ['without a word', '!!! ---'],
    ['in another script', '表を整える'],
  ])('%s is answered', async (_, query) => {
    writeTwo();
    // A shell cannot pass NUL or 100 KB as one argument: the library door takes any text.
    const { createSkillgate } = await import('../../src/public.ts');
    const skillgate = await createSkillgate({
      skills: join(place.folder, 'skills'),
      index: join(place.folder, 'index-of-library'),
    });
    const answer = await skillgate.search(query);
    expect(answer.search?.searched).toBe(2);
    if (query.includes('csv')) expect(answer.hits[0]?.id).toBe('csv-cleaning');
    await skillgate.close();
  });

  it('an empty query browses, and --top 0 is refused with the allowed range', async () => {
    writeTwo();
    expect(ids((await search('')).answer)).toEqual(['csv-cleaning', 'pdf-forms']);
    const refused = await place.run('search', 'csv', ...SETTING, '-k', '0');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('from 1 to 50');
  });
});
