/**
 * Promise: the Dockerfile and the systemd unit use existing files, start the program correctly and grant no more rights
 * than it needs. The tests parse the files, so they need no container engine.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../src/stdio/ask.ts';
import { examples, root, type Workplace, workplace } from './command.ts';
import { serveHttp } from './http-server.ts';

let place: Workplace;
beforeEach(() => {
  place = workplace();
});
afterEach(() => place.remove());

interface Instruction {
  readonly keyword: string;
  readonly rest: string;
}

/** Instructions of each stage, lines joined, comments left out. */
function stages(): Instruction[][] {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '');
  const all: Instruction[][] = [];
  for (const line of text.split('\n').filter((part) => part.trim() !== '')) {
    const [, keyword = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (keyword === 'FROM') all.push([]);
    all.at(-1)?.push({ keyword, rest });
  }
  return all;
}

const of = (stage: readonly Instruction[], keyword: string) =>
  stage.filter((instruction) => instruction.keyword === keyword).map(({ rest }) => rest);
const list = (rest: string | undefined): string[] => JSON.parse(rest ?? '[]');

describe('the Dockerfile', () => {
  const [build = [], final = []] = stages();

  it('copies only existing files that its .dockerignore admits', () => {
    const ignore = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const allowed = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(ignore).toContain('*');
    const copied = [...build, ...final]
      .filter(({ keyword, rest }) => keyword === 'COPY' && !rest.startsWith('--from'))
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
    expect(copied.length).toBeGreaterThan(5);
    for (const path of copied) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(allowed, path).toContain(path);
    }
    expect([...new Set(copied)].sort()).toEqual([...allowed].sort());
  });

  it('ends in a slim image without tools to build, as another user than root', () => {
    expect(of(build, 'FROM')[0]).toMatch(/^node:20-bookworm AS build$/);
    expect(of(final, 'FROM')[0]).toBe('node:20-bookworm-slim');
    expect(of(final, 'RUN').join('\n')).not.toMatch(/npm|gcc|g\+\+|make|python|build-essential|curl/);
    expect(of(final, 'USER')).toEqual(['node']);
    const user = final.findIndex(({ keyword }) => keyword === 'USER');
    expect(final.slice(user).some(({ keyword }) => keyword === 'RUN' || keyword === 'COPY')).toBe(false);
  });

  it('starts with the files of the image alone, and refuses to serve without authentication', async () => {
    const app = join(place.folder, 'app');
    mkdirSync(join(app, 'models'), { recursive: true });
    cpSync(join(root, 'dist'), join(app, 'dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(app, 'package.json'));
    symlinkSync(join(root, 'models/static'), join(app, 'models/static'));
    const [node, program = ''] = list(of(final, 'ENTRYPOINT')[0]);
    expect(node).toBe('node');
    const entry = program.replace('/app/', `${app}/`);
    const started = (...args: string[]) =>
      spawnSync(process.execPath, [entry, ...args], {
        cwd: place.folder,
        env: place.environment,
        encoding: 'utf8',
        timeout: 60_000,
      });
    const command = list(of(final, 'CMD')[0]);
    const refused = started(...command, '--skills', examples);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('Other machines can reach 0.0.0.0');
    const found = started('search', 'roll back a migration', '--skills', examples, '--json');
    expect(found.stderr).toBe('');
    expect(JSON.parse(found.stdout)).toHaveProperty('hits');
  });

  it('has a health check that the server answers', async () => {
    const [, check = ''] = /CMD (\[.*\])$/.exec(of(final, 'HEALTHCHECK')[0] ?? '') ?? [];
    const [node, ...args] = list(check);
    expect(node).toBe('node');
    const server = await serveHttp(place, examples);
    const healthy = () =>
      spawnSync(
        process.execPath,
        args.map((arg) => arg.replace('127.0.0.1:3000', new URL(server.url).host)),
        {
          timeout: 60_000,
        },
      ).status;
    expect(healthy()).toBe(0);
    await server.end();
    expect(healthy()).toBe(1);
  });
});

describe('the systemd unit', () => {
  const unit = readFileSync(join(root, 'examples/deploy/skillgate.service'), 'utf8');
  const settings = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value ?? '');

  it('starts the program with arguments that it takes, and reloads it without ending it', async () => {
    const [, script, ...args] = settings('ExecStart')[0]?.split(' ') ?? [];
    expect(script).toBe('/opt/skillgate/dist/skillgate.js');
    expect(settings('ExecReload')).toEqual(['/bin/kill -HUP $MAINPID']);
    const config = place.write('skillgate.config.json', '{"http": {"port": 0}}');
    const given = args.map((arg) => arg.replace('/etc/skillgate/skillgate.config.json', config));
    expect(given[0]).toBe('serve');
    const server = await serveHttp(place, examples, ...given.slice(1));
    process.kill(server.pid, 'SIGHUP');
    const { origin } = new URL(server.url);
    for (let asked = 0; asked < 3; asked++) expect((await ask(`${origin}/healthz`)).status).toBe(200);
    expect(await server.end()).toMatchObject({ code: 0 });
  });

  it('gives it more time to end than it takes, and a folder for all that it writes', () => {
    expect(settings('TimeoutStopSec')).toEqual(['30s']);
    expect(settings('StateDirectory')).toEqual(['skillgate']);
    for (const value of settings('Environment').filter((line) => line.includes('/')))
      expect(value).toMatch(/^\w+=\/var\/lib\/skillgate\//);
  });

  it('is valid, and exposes little, as systemd sees it', ({ skip }) => {
    const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    if (analyze('--version').status !== 0) return skip();
    const file = join(place.folder, 'skillgate.service');
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
    const verified = analyze('verify', file);
    // Units of the machine itself may be at fault; ours is named by its file.
    expect(verified.stderr.split('\n').filter((line) => line.includes('skillgate'))).toEqual([]);
    const security = analyze('security', '--offline=true', '--threshold=20', '--no-pager', file);
    expect(security.stdout).toMatch(/Overall exposure level for skillgate\.service: [01]\.\d OK/);
  });
});

describe('the package', () => {
  it('holds the settings that the image starts with', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
    });
    const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(packed);
    const paths = files.map(({ path }) => path);
    for (const path of ['dist/skillgate.js', 'SECURITY.md', 'examples/deploy/skillgate.service'])
      expect(paths).toContain(path);
  });
});
