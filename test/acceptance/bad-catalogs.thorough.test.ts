/** Promise: hostile or oversized content costs bounded memory and is reported; the other skills are served. */

import { closeSync, mkdirSync, openSync, readFileSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { skillFile, type Workplace, workplace } from './command.ts';

let place: Workplace;
beforeEach(() => {
  place = workplace();
  place.write('skills/pdf-forms/SKILL.md', skillFile('pdf-forms', 'Fill in PDF forms.'));
});
// Twenty thousand folders take their time on a busy machine.
afterEach(() => place.remove(), 120_000);

/** Largest resident set, MB. Indexing one small skill takes some 110, all threads together. */
const MAX_MB = 450;

const report = z.object({
  skills: z.number(),
  passages: z.number(),
  diagnostics: z.array(
    z.object({ skill: z.string().nullable(), diagnostic: z.object({ id: z.string(), path: z.string() }) }),
  ),
});

/** Indexes the folder `skills` and returns the report and the peak memory. */
async function index() {
  const usage = join(place.folder, 'usage');
  const probe = `import{writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync(${JSON.stringify(usage)},String(process.resourceUsage().maxRSS)));`;
  const options = `--import=data:text/javascript,${encodeURIComponent(probe)}`;
  const { code, stdout, stderr } = await place.shell(
    `NODE_OPTIONS='${options.replaceAll("'", '%27')}' $SKILLGATE index skills --index index --json`,
  );
  expect(stderr).not.toMatch(/at .*\.js:\d/);
  expect(code).toBe(0);
  const { skills, passages, diagnostics } = report.parse(JSON.parse(stdout));
  return {
    skills,
    passages,
    diagnosed: diagnostics.map(({ skill, diagnostic: { id, path } }) => ({ skill, id, path })),
    megabytes: Number(readFileSync(usage, 'utf8')) / 1024,
  };
}

/** Whether the good skill is found, bad neighbours or not. */
async function findsTheOther() {
  const { stdout } = await place.run(
    'search',
    'fill in a form',
    '--skills',
    'skills',
    '--index',
    'index',
    '--json',
  );
  return z.object({ hits: z.array(z.object({ id: z.string() })) }).parse(JSON.parse(stdout)).hits[0]?.id;
}

/** A file of that many bytes, written in pieces. */
function writeLarge(path: string, bytes: number, line: string): void {
  const file = openSync(place.write(path, ''), 'w');
  const piece = Buffer.from(line.repeat(Math.ceil(2 ** 20 / line.length)));
  for (let done = 0; done < bytes; ) done += writeSync(file, piece, 0, Math.min(piece.length, bytes - done));
  closeSync(file);
}

describe('a catalog', () => {
  it('with a reference of 100 MB leaves it out and reports it', async () => {
    place.write('skills/logs/SKILL.md', skillFile('logs', 'Read logs.'));
    writeLarge('skills/logs/references/all.md', 100 * 2 ** 20, 'An entry of the log, one of very many.\n');
    const { skills, diagnosed, megabytes } = await index();
    expect(skills).toBe(2);
    expect(diagnosed).toContainEqual({ skill: 'logs', id: 'file-too-large', path: 'references/all.md' });
    expect(megabytes).toBeLessThan(MAX_MB);
    expect(await findsTheOther()).toBe('pdf-forms');
  }, 120_000);

  it('with 20,000 empty folders finds its skill and reports their cost', async () => {
    for (let at = 0; at < 20_000; at += 1)
      mkdirSync(join(place.folder, 'skills', `many-${at % 100}`, `empty-${at}`), { recursive: true });
    const { skills, diagnosed, megabytes } = await index();
    expect(skills).toBe(1);
    expect(diagnosed).toContainEqual({ skill: null, id: 'folders-without-skills', path: '.' });
    expect(megabytes).toBeLessThan(MAX_MB);
  }, 120_000);

  it('with circular links is walked once and reports them', async () => {
    symlinkSync('..', join(place.folder, 'skills', 'up'));
    mkdirSync(join(place.folder, 'skills', 'a'));
    symlinkSync(join(place.folder, 'skills'), join(place.folder, 'skills', 'a', 'round'));
    symlinkSync('itself', join(place.folder, 'skills', 'itself'));
    const { skills, diagnosed } = await index();
    expect(skills).toBe(1);
    expect(diagnosed).toContainEqual({ skill: null, id: 'link-loop', path: 'a/round' });
    expect(diagnosed).toContainEqual({ skill: null, id: 'link-broken', path: 'itself' });
    expect(diagnosed).toContainEqual({ skill: null, id: 'link-outside', path: 'up' });
    expect(await findsTheOther()).toBe('pdf-forms');
  }, 120_000);

  it('with a skill of 50,000 headings indexes its beginning and reports where it stopped', async () => {
    const body = Array.from({ length: 50_000 }, (_, at) => `## Step ${at}\n\nDo thing ${at}.\n`).join('\n');
    place.write('skills/steps/SKILL.md', skillFile('steps', 'Take many steps.', body));
    const { skills, passages, diagnosed, megabytes } = await index();
    expect(skills).toBe(2);
    expect(diagnosed.filter(({ skill }) => skill === 'steps').map(({ id }) => id)).toContain('body-long');
    expect(passages).toBeLessThan(2_100);
    expect(megabytes).toBeLessThan(MAX_MB);
    expect(await findsTheOther()).toBe('pdf-forms');
  }, 120_000);

  it('with a skill of one line of 2 MB indexes its beginning and reports it', async () => {
    const line = 'one endless line about deployments and rollbacks '.repeat(43_000);
    place.write('skills/line/SKILL.md', skillFile('line', 'Write without end.', line));
    const { skills, passages, diagnosed, megabytes } = await index();
    expect(skills).toBe(2);
    expect(diagnosed.filter(({ skill }) => skill === 'line')).not.toEqual([]);
    expect(passages).toBeLessThan(2_100);
    expect(megabytes).toBeLessThan(MAX_MB);
    expect(await findsTheOther()).toBe('pdf-forms');
  }, 120_000);
});
