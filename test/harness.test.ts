import { existsSync, readdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from './needs.ts';
import { retried, skippedByReason } from './reporter.ts';
import { whyNotIsolated } from './temporary-folder.ts';

describe('a process that runs tests', () => {
  it('has a home of its own below the folder of the run', () => {
    expect(homedir()).toBe(join(tmpdir(), 'home'));
    expect(existsSync(homedir())).toBe(true);
    expect(readdirSync(homedir()).filter((name) => !name.startsWith('.npm'))).toEqual([]);
  });

  it.each([
    [{ TMPDIR: '/tmp/sg-1', HOME: '/home/ada' }, /HOME is \/home\/ada/],
    [{ HOME: '/home/ada' }, /HOME is/],
    [
      { TMPDIR: '/tmp/sg-1', HOME: '/tmp/sg-1/home', XDG_CONFIG_HOME: '/home/ada/.config' },
      /XDG_CONFIG_HOME is set/,
    ],
    [{ TMPDIR: '/tmp/sg-1', HOME: '/tmp/sg-1/home' }, /^$/],
  ])('is refused if it would read files of the user: %o', (env, problem) => {
    expect(whyNotIsolated(env)).toMatch(problem);
  });
});

describe('a test that needs what this machine lacks', () => {
  const { skip, meta } = needs('a graph', 'not installed');
  const module = { type: 'module', moduleId: join(process.cwd(), 'test/a.test.ts') };
  const group = { type: 'suite', parent: module, meta: () => meta };
  const test = { type: 'test', parent: group, meta: () => ({}), fullName: 'graphs > load' };
  const children = { allTests: () => [test] };

  it('is skipped, and named with the reason at the end of the run', () => {
    expect(skip).toBe(true);
    expect(skippedByReason([{ ...module, children }] as never)).toEqual(
      new Map([['needs a graph: not installed', ['test/a.test.ts > graphs > load']]]),
    );
  });

  it('runs where nothing is missing', () => {
    expect(needs('a graph', null)).toEqual({ skip: false });
  });
});

describe('a test that passes only when it is tried again', () => {
  it('is named at the end of the run', () => {
    const passed = (fullName: string, flaky: boolean) => ({ fullName, diagnostic: () => ({ flaky }) });
    const children = { allTests: () => [passed('a map > opens', true), passed('a map > closes', false)] };
    const module = { moduleId: join(process.cwd(), 'test/a.test.ts'), children };
    expect(retried([module] as never)).toEqual([
      '',
      'Passed only when tried again:',
      '  test/a.test.ts > a map > opens',
    ]);
    expect(retried([])).toEqual([]);
  });
});
