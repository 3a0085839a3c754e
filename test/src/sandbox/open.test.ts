/** The real sandbox if this machine has one, and the refusals of machines without one. */

import { describe, expect, it } from 'vitest';
import { openSandbox } from '../../../src/sandbox/open.ts';
import type { RunRequest } from '../../../src/sandbox/sandbox.ts';

const machine = {
  platform: process.platform,
  architecture: process.arch,
  uid: process.getuid?.() ?? -1,
  path: process.env.PATH ?? '',
  programs: {},
};
const limits = {
  wallMs: 20_000,
  cpuMs: 20_000,
  memoryBytes: 256 * 2 ** 20,
  processes: 16,
  fileBytes: 2 ** 20,
  workBytes: 2 ** 22,
  outputBytes: 2 ** 16,
};
const request = (script: string, more: Partial<RunRequest> = {}): RunRequest => ({
  command: 'sh',
  args: ['-c', script, 'sh', 'one', 'two'],
  readOnly: [{ path: 'a/b.txt', bytes: Buffer.from('given') }],
  work: [{ path: 'w.txt', bytes: Buffer.from('work') }],
  stdin: Buffer.from('input'),
  env: { GRANTED: 'yes' },
  limits,
  keep: { files: 10, bytes: 1_000 },
  ...more,
});

const sandbox = openSandbox(machine);
const { layer, problems } = await sandbox.status();
if (layer === null) console.warn(`Tests of the sandbox are skipped: ${problems.join(' ')}`);

describe('a machine without a sandbox', () => {
  it.each([
    ['another system', { platform: 'darwin' }, 'Linux only'],
    ['another architecture', { architecture: 's390x' }, 'x64 and arm64'],
    ['no bubblewrap', { path: '/nowhere' }, 'apt-get install bubblewrap'],
    ['a relative path to it', { path: 'usr/bin' }, 'not installed'],
  ])('reports what is missing and runs nothing: %s', async (_, lacking, says) => {
    const without = openSandbox({ ...machine, platform: 'linux', architecture: 'x64', ...lacking });
    const status = await without.status();
    expect(status).toMatchObject({ layer: null, guarantees: [] });
    expect(status.problems.join()).toContain(says);
    await expect(without.run(request('true'))).rejects.toMatchObject({ code: 'SANDBOX_MISSING' });
  });
});

describe.skipIf(layer === null)('a run', () => {
  it('gets arguments, input, files and environment, and returns output, files and measurements', async () => {
    const outputs: string[] = [];
    const result = await sandbox.run(
      request('echo "$1 $2 $GRANTED"; cat - /skill/a/b.txt w.txt; echo no >&2; echo left >new; exit 3', {
        onOutput: (stream, bytes) => outputs.push(`${stream} ${Buffer.from(bytes)}`),
      }),
    );
    expect(Buffer.from(result.stdout).toString()).toBe('one two yes\ninputgivenwork');
    expect(Buffer.from(result.stderr).toString()).toBe('no\n');
    expect(result).toMatchObject({
      exitCode: 3,
      signal: null,
      killedBy: null,
      truncated: false,
      leftOut: [],
    });
    expect(result.files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])).toEqual([
      ['new', 'left\n'],
    ]);
    expect(outputs.some((line) => line.startsWith('stdout one two yes'))).toBe(true);
    expect(result.peakBytes).toBeGreaterThan(0);
  });

  it('reports the signal that ended it', async () => {
    expect(await sandbox.run(request('kill -SEGV $$'))).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });
  });

  it('opens /dev/stdin and /dev/stderr as usual', async () => {
    const { stdout, stderr } = await sandbox.run(request('cat /dev/stdin; echo said >/dev/stderr'));
    expect([stdout, stderr].map((bytes) => Buffer.from(bytes).toString())).toEqual(['input', 'said\n']);
  });

  it('ends at once if it is cancelled before or during the run', async () => {
    const before = await sandbox.run(request('sleep 60', { signal: AbortSignal.abort() }));
    expect(before).toMatchObject({ exitCode: null, killedBy: 'cancelled' });
    const cancel = new AbortController();
    const running = sandbox.run(
      request('echo up; sleep 60', { signal: cancel.signal, onOutput: () => cancel.abort() }),
    );
    expect(await running).toMatchObject({ killedBy: 'cancelled' });
  });

  it('offers the system’s programs, and reports a missing one', async () => {
    expect(sandbox.programPath('sh')).toMatch(/^\/(usr\/)?bin\/sh$/);
    expect(sandbox.programPath('no-such-program')).toBeNull();
    await expect(sandbox.run(request('', { command: 'no-such-program' }))).rejects.toMatchObject({
      code: 'PROGRAM_MISSING',
    });
  });

  it('can run many times in parallel, each isolated', async () => {
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, at) => sandbox.run(request(`echo ${at} >own; ls; sleep 0.1; cat own`))),
    );
    expect(results.map(({ stdout }) => Buffer.from(stdout).toString())).toEqual(
      Array.from({ length: 6 }, (_, at) => `own\nw.txt\n${at}\n`),
    );
  });

  it('accepts hundreds of files', async () => {
    const readOnly = Array.from({ length: 500 }, (_, at) => ({ path: `d/${at}`, bytes: Buffer.from('x') }));
    const { stdout } = await sandbox.run(request('ls /skill/d | wc -l', { readOnly }));
    expect(Buffer.from(stdout).toString().trim()).toBe('500');
  });
});
