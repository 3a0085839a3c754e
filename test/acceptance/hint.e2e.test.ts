/** Promise: the prompt hook names skills that fit, says nothing else, and never fails a prompt. */

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { examples, prepareIndex, skillFile, workplace } from './command.ts';

const place = workplace();
beforeAll(async () => {
  await prepareIndex(examples, join(place.folder, 'index'));
}, 120_000);

/** Sleeps as soon as the hook waits for its prompt, for longer than it waits: as on a busy machine. */
const SLEEPY = `const set = setTimeout;
globalThis.setTimeout = (use, ms, ...rest) => {
  globalThis.setTimeout = set;
  const timer = set(use, ms, ...rest);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  return timer;
};`;

/** Runs the hook with this standard input; undefined leaves it open. */
function hint(input: string | undefined, ...args: string[]) {
  const piped =
    input === undefined
      ? 'mkfifo endless && exec <> endless;'
      : `echo ${Buffer.from(input).toString('base64')} | base64 -d |`;
  return place.shell(`${piped} $SKILLGATE hint ${args.join(' ')}`);
}

const SETTING = ['--skills', examples, '--index', 'index'];
const JUNK = 'our mails land in the junk folder of our customers';
const KEYS = 'Where did I leave my car keys last night?';
const LINE =
  /^Skills that may fit: email-deliverability, [a-z-]+, [a-z-]+\. Load one with load_skill or search with search_skills\.\n$/;
const SILENT = { code: 0, signal: null, stdout: '', stderr: '' };

describe('hint', () => {
  it('names the skills that fit a prompt, in one line of text', async () => {
    const { stdout, ...rest } = await hint(JUNK, ...SETTING);
    expect(rest).toMatchObject({ code: 0, stderr: '' });
    expect(stdout).toMatch(LINE);
  });

  it('reads a prompt that waited while the process slept', async () => {
    const sleepy = `NODE_OPTIONS=--import=data:text/javascript,${encodeURIComponent(SLEEPY)}`;
    const { stdout } = await place.shell(`echo ${JUNK} | $SKILLGATE hint ${SETTING.join(' ')}`, [
      'env',
      sleepy,
    ]);
    expect(stdout).toMatch(LINE);
  });

  it('is in the audit log with what was found, and never with the prompt', async () => {
    const { stdout } = await hint(JUNK, ...SETTING, '--set', 'telemetry.audit=hints.log');
    expect(stdout).toMatch(LINE);
    const log = join(place.folder, 'hints.log');
    const written = readFileSync(log, 'utf8');
    expect(JSON.parse(written)).toMatchObject({
      event: 'call',
      who: 'local',
      call: 'hint',
      arguments: {},
      outcome: 'ok',
      hits: ['email-deliverability', expect.any(String), expect.any(String)],
      weak: false,
    });
    expect(written).not.toContain('junk folder');
    rmSync(log);
  });

  it('answers a host in its own form', async () => {
    const event = {
      session_id: 's',
      hook_event_name: 'UserPromptSubmit',
      cwd: place.folder,
      prompt: JUNK,
      more: [1],
    };
    const { stdout } = await hint(JSON.stringify(event), ...SETTING);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    const { hookSpecificOutput } = JSON.parse(stdout);
    expect(hookSpecificOutput.hookEventName).toBe('UserPromptSubmit');
    expect(`${hookSpecificOutput.additionalContext}\n`).toMatch(LINE);
    expect((await hint(JSON.stringify({ prompt: JUNK }), ...SETTING)).stdout).toMatch(LINE);
  });

  it.each([
    ['a prompt that nothing fits', KEYS],
    ['a longer reply', 'no, I meant the other file, the one in the src folder'],
    ['an answer to a question', 'yes, go on'],
    ['a command of the host', `/compact ${JUNK}`],
    ['an empty prompt', ' \n'],
    ['nothing', ''],
    ['JSON of another form', '{"text": "clean a csv file"}'],
    ['bytes', '\u0000\u0001{'],
  ])('is silent for %s', async (_, input) => expect(await hint(input, ...SETTING)).toEqual(SILENT));

  it('speaks from the given fit', async () => {
    expect(await hint(JUNK, ...SETTING, '--min-fit', '1')).toEqual(SILENT);
    expect((await hint(KEYS, ...SETTING, '--min-fit', '0')).stdout).toMatch(/^Skills that may fit: /);
  });

  it.each([
    ['a folder that is not there', ['--skills', 'nowhere']],
    ['a wrong configuration', ['--config', 'nowhere.json']],
    ['a wrong value', [...SETTING, '--min-fit', 'much']],
    ['a missing value', ['--index']],
    ['an unknown option', [...SETTING, '--min-fit', '1', '--of-a-later-version']],
  ])('never fails a prompt: %s', async (name, args) => {
    expect(await hint(JUNK, ...args)).toEqual(SILENT);
    const { code, stdout, stderr } = await hint(JUNK, ...args, '--verbose');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    if (name !== 'an unknown option') expect(stderr).not.toBe('');
  });

  it('makes the first index itself, and answers at the latest when that is done', async () => {
    const first = ['--skills', examples, '--index', 'first'];
    await expect.poll(async () => (await hint(JUNK, ...first)).stdout).toMatch(LINE);
  });

  it('names skills for a short prompt that fits well, and for no short reply', async () => {
    expect((await hint('write the changelog for the next release', ...SETTING)).stdout).toMatch(
      /^Skills that may fit: release-notes-writing/,
    );
    expect(await hint('review this change', ...SETTING)).toEqual(SILENT);
  });

  it('survives a damaged index and an input that never ends', async () => {
    place.write('damaged/CURRENT', 'manifest-99.json\n');
    expect(await hint(JUNK, '--skills', examples, '--index', 'damaged')).toEqual(SILENT);
    expect(await hint(undefined, ...SETTING)).toEqual(SILENT);
  });

  it('says with --verbose how the fit was and how old the index is', async () => {
    const { stderr } = await hint(KEYS, ...SETTING, '--verbose');
    expect(stderr).toMatch(/fit 0\.\d\d among 32 skills, as indexed at \d{4}-\d\d-\d\dT/);
  });

  it('answers from the index alone: reads no folder, writes nothing, and names no skill that is gone', async () => {
    for (const name of ['tea', 'pot'])
      place.write(`own/${name}/SKILL.md`, skillFile(name, `Brew green ${name} in a porcelain gaiwan`));
    const own = ['--skills', 'own', '--index', 'own-index', '--min-fit', '0'];
    await place.run('index', ...own.slice(0, 4));
    const listing = () =>
      (readdirSync(place.folder, { recursive: true }) as string[]).sort().map((path) => {
        const { size, mtimeMs } = statSync(join(place.folder, path));
        return [path, size, mtimeMs];
      });
    const before = listing();
    const prompt = 'how do I brew green tea in a porcelain gaiwan';
    expect((await hint(prompt, ...own)).stdout).toMatch(/fit: (tea, pot|pot, tea)\. /);
    expect(listing()).toEqual(before);
    place.write('own/cup/SKILL.md', skillFile('cup', prompt));
    rmSync(join(place.folder, 'own/pot'), { recursive: true });
    expect((await hint(prompt, ...own)).stdout).toMatch(/fit: tea\. /);
  });
});
