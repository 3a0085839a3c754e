import { describe, expect, it } from 'vitest';
import { exitCodeIn, launchCommand, serverCommand } from '../../../../extensions/scripts/sandbox/launcher.ts';

const limits = {
  wallMs: 1,
  cpuMs: 1_500,
  memoryBytes: 2 ** 20,
  processes: 4,
  fileBytes: 77,
  workBytes: 1,
  outputBytes: 1,
};

describe('launchCommand', () => {
  it('puts the limits before the command, and its arguments after it unchanged', () => {
    const words = launchCommand('/usr/bin/python3', ['/skill/a.py', '--', '$(id)'], limits, false);
    expect(words.slice(-4)).toEqual(['/usr/bin/python3', '/skill/a.py', '--', '$(id)']);
    // 1.5 s are rounded up, plus one until the kernel kills it; the launcher counts as a process.
    expect(words).toEqual(
      expect.arrayContaining(['--cpu=2:3', '--data=1048576', '--fsize=77', '--nproc=5', '--core=0']),
    );
  });
});

describe('the limits of a process', () => {
  const boundsOf = (more: Partial<typeof limits>) =>
    launchCommand('/bin/true', [], { ...limits, ...more }, false);

  it.each([
    [{ cpuMs: 1 }, '--cpu=1:2'],
    [{ cpuMs: 0 }, '--cpu=1:2'],
    [{ cpuMs: 2_000 }, '--cpu=2:3'],
    [{ memoryBytes: 2 ** 20 }, '--stack=1048576'],
    [{ memoryBytes: 2 ** 30 }, '--stack=8388608'],
    [{}, '--nofile=256'],
    [{}, '--memlock=65536'],
    [{}, '--msgqueue=0'],
  ])('of a script with %j: %s', (more, bound) => {
    const words = boundsOf(more);
    expect(words.slice(0, words.indexOf('--'))).toContain(bound);
  });

  it.each(['--data=1048576', '--stack=1048576', '--nproc=5', '--nofile=1024', '--core=0', '--memlock=65536'])(
    'of a server: %s',
    (bound) => {
      const words = serverCommand('/usr/bin/serve', ['--', '$(id)'], limits);
      const end = words.indexOf('--');
      expect(words.slice(0, end)).toContain(bound);
      expect(words.slice(end)).toEqual(['--', '/usr/bin/serve', '--', '$(id)']);
      expect(words.join(' ')).not.toMatch(/--cpu|--fsize/);
    },
  );
});

describe('the forwarder', () => {
  it('starts only for runs with a proxy, under the script’s limits, and counts as a process', () => {
    const [without, withOne] = [false, true].map((proxySocket) =>
      launchCommand('/bin/true', [], limits, proxySocket),
    );
    expect(without?.join(' ')).not.toContain('socat');
    expect(withOne?.[2]).toMatch(/^prlimit --cpu=2:3 .*--nproc=6 .*-- socat /m);
    expect(withOne?.[2]).toContain('bind=127.0.0.1');
  });
});

describe('exitCodeIn', () => {
  it('reads the code, and nothing from any other line', () => {
    expect(exitCodeIn('exit 0')).toBe(0);
    expect(exitCodeIn('exit 137')).toBe(137);
    for (const line of ['exit', 'exit 12345', 'ready', 'exit -1', 'exit 1 ', 'an exit 1'])
      expect(exitCodeIn(line)).toBeNull();
  });
});
