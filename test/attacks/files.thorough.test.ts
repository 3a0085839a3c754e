/**
 * Attacks with the files of a source and of the machine: hidden files that nobody listed, FIFOs, devices and directories
 * where a file should be, an index that cannot be written, a token file that others can write.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { connected } from '../acceptance/client.ts';
import { freshWorkplace, skillFile } from '../acceptance/command.ts';

const SECRET = 'quokka-7f3a9c';
/** A command that takes longer hangs, ms: an ordinary one takes a second, ten on a machine that is busy. */
const HANGS_MS = 20_000;
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

const place = freshWorkplace();
beforeEach(() => {
  place.write('skills/demo/SKILL.md', skillFile('demo', 'Show a demonstration'));
  place.write('skills/demo/references/x.md', 'Own words.\n');
});

const at = (path: string) => join(place.folder, path);
const SETTING = ['--skills', 'skills', '--index', 'index'];
const fifo = (path: string) => execFileSync('mkfifo', [at(path)]);

/** The outcome of a command that is killed if it hangs; `hung` says whether. */
const run = (...args: string[]) => place.runUntil(HANGS_MS, ...args);

describe('files that are not listed', () => {
  beforeEach(() => {
    place.write('skills/demo/.env', SECRET);
    place.write('skills/demo/.git/config', SECRET);
    place.write('skills/demo/node_modules/x/token.txt', SECRET);
  });
  const HIDDEN = ['.env', '.git/config', 'node_modules/x/token.txt', './references/../.env', '%2eenv'];

  it('are not read over MCP, by any tool, resource or draft', async () => {
    const client = await connected(place.server('--skills', at('skills'), '--index', at('index')));
    const said: string[] = [];
    for (const path of HIDDEN) {
      const asked = { name: 'read_reference', arguments: { skill: 'demo', path } };
      said.push(JSON.stringify(await client.callTool(asked)));
      for (const uri of [
        `skillgate:file?skill=demo&path=${encodeURIComponent(path)}`,
        `skill://skills/demo/${path}`,
      ])
        said.push(await client.readResource({ uri }).then((found) => JSON.stringify(found), String));
    }
    const loaded = await client.callTool({ name: 'load_skill', arguments: { skill: 'demo' } });
    expect(said.filter((text) => text.includes(SECRET))).toEqual([]);
    expect(JSON.stringify(loaded)).toContain('references/x.md');
    expect(JSON.stringify(loaded)).not.toMatch(/\.env|\.git|node_modules/);
  });

  it('are not read at the command line', async () => {
    for (const path of HIDDEN) {
      const { code, stdout, stderr } = await place.run('read', 'demo', path, ...SETTING);
      expect([path, code, (stdout + stderr).includes(SECRET)]).toEqual([path, expect.any(Number), false]);
      expect(code).not.toBe(0);
    }
  });
});

describe.runIf(process.platform === 'linux')('what is not a regular file', () => {
  it('in the place of a skill file is reported, and hangs nothing', async () => {
    place.write('skills/pipe/.keep', '');
    fifo('skills/pipe/SKILL.md');
    mkdirSync(at('skills/folder/SKILL.md'), { recursive: true });
    const { hung, stdout } = await run('index', ...SETTING, '--json');
    expect(hung).toBe(false);
    const report = JSON.parse(stdout);
    expect(report.skills).toBe(1);
    const found = report.diagnostics.map(
      ({ diagnostic: { id, path } }: { diagnostic: { id: string; path: string } }) => `${id} ${path}`,
    );
    expect(found).toEqual(['skill-file-special folder/SKILL.md', 'skill-file-special pipe/SKILL.md']);
  });

  it.each([
    ['a configuration', ['search', 'x', '--config', 'odd'], 'odd is'],
    ['a token file', ['token', 'list', '--file', 'odd'], 'odd is'],
  ])('in the place of %s is an error that names it', async (_, args, says) => {
    for (const make of [() => fifo('odd'), () => mkdirSync(at('odd'))]) {
      make();
      const { hung, code, stderr } = await run(...args);
      expect({ hung, failed: code !== 0 }).toEqual({ hung: false, failed: true });
      expect(stderr).toContain(at(says));
      expect(stderr).toMatch(/is a (?:FIFO|directory)\. Put a regular file in its place/);
      rmSync(at('odd'), { recursive: true });
    }
  });

  it('in the place of a file of the index is repaired, or an error, and hangs nothing', async () => {
    expect((await run('index', ...SETTING)).code).toBe(0);
    for (const name of ['CURRENT', 'stamps.json', 'catalog.json']) {
      rmSync(at(`index/${name}`));
      fifo(`index/${name}`);
      const { hung, stdout } = await run('search', 'a demonstration', ...SETTING);
      expect({ name, hung, found: stdout.includes('demo') }).toEqual({ name, hung: false, found: true });
      rmSync(at(`index/${name}`), { recursive: true, force: true });
      await run('index', ...SETTING);
    }
  }, 120_000);
});

describe.runIf(canMount)('an index that cannot be written', () => {
  it('answers at once, from what it holds', async () => {
    expect((await place.run('index', ...SETTING)).code).toBe(0);
    place.write('skills/late/SKILL.md', skillFile('late', 'Come late'));
    const started = performance.now();
    // In a namespace of its own, which ends with the shell.
    const { stdout, stderr } = await place.shell(
      `mount --bind index index && mount -o remount,bind,ro index &&
       $SKILLGATE search 'a demonstration' --skills skills --index index`,
      ['unshare', '-rm'],
    );
    expect(stdout).toContain('demo');
    // A small catalog is indexed in memory.
    expect(stderr).toContain('cannot be written');
    // The lock was waited for until now, half a minute.
    expect(performance.now() - started).toBeLessThan(HANGS_MS);
  });
});

describe.skipIf(process.platform === 'win32')('a token file that others may write', () => {
  it('is refused, and the message says what to do', async () => {
    expect((await place.run('token', 'create', 'ci', '--file', 'tokens.json')).code).toBe(0);
    expect((await place.run('token', 'list', '--file', 'tokens.json')).code).toBe(0);
    for (const mode of [0o620, 0o602, 0o666]) {
      chmodSync(at('tokens.json'), mode);
      const { code, stderr } = await place.run('token', 'list', '--file', 'tokens.json');
      expect(code).not.toBe(0);
      expect(stderr).toContain(`chmod 600 ${at('tokens.json')}`);
    }
    chmodSync(at('tokens.json'), 0o640);
    expect((await place.run('token', 'list', '--file', 'tokens.json')).code).toBe(0);
  });
});
