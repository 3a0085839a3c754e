/**
 * Promise: the Dockerfile and the systemd unit use existing files, start the program correctly and grant no more rights
 * than it needs. The tests parse the files, so they need no container engine.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { postgresServer, serverPrograms } from '../postgres.ts';
import { ask, post } from '../src/serve/stdio/ask.ts';
import { examples, freshWorkplace, root } from './command.ts';
import { type HttpServer, serveHttp } from './http-server.ts';

const place = freshWorkplace();

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

  it('builds with the files that it copies, and starts with those of the image alone; without authentication it refuses', () => {
    // The steps of the Dockerfile in a folder of their own. What they install from the network is linked.
    const [stage, image] = [join(place.folder, 'stage'), join(place.folder, 'image')];
    const copy = (rest: string, target: (path: string) => string, from = root) => {
      const paths = rest.split(' ');
      const to = paths.at(-1) ?? '';
      for (const path of paths.slice(0, -1)) {
        const isFolder = to.endsWith('/') && !statSync(join(from, path)).isDirectory();
        cpSync(join(from, path), isFolder ? join(target(to), basename(path)) : target(to), {
          recursive: true,
        });
      }
    };
    mkdirSync(stage);
    for (const { keyword, rest } of build) {
      if (keyword === 'COPY') copy(rest, (path) => join(stage, path));
      if (keyword !== 'RUN') continue;
      if (rest === 'npm ci') symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'));
      else if (rest === 'npm run build')
        execFileSync('npm', ['run', 'build'], { cwd: stage, stdio: 'pipe', timeout: 250_000 });
      else expect(rest).toMatch(/^npm prune --omit=dev/);
    }
    for (const { keyword, rest } of final) {
      if (keyword !== 'COPY') continue;
      const given = rest.replace('--from=build ', '').replaceAll('/build/', '');
      // Only optional packages are left there, and the program starts without them.
      if (given.startsWith('node_modules ')) continue;
      copy(given, (path) => join(image, path), given === rest ? root : stage);
    }
    const app = join(image, 'app');
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
    expect(script).toBe('/opt/skillgate/dist/skillgate.cjs');
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

/** What this test reads of a compose file. */
interface Service {
  readonly image: string;
  readonly environment?: Record<string, string>;
  readonly command?: readonly string[];
}

describe('examples/team', () => {
  const folder = join(root, 'examples/team');
  const { services } = parseYaml(readFileSync(join(folder, 'compose.yaml'), 'utf8'), {
    merge: true,
  }) as { services: Record<string, Service> };
  const all = Object.entries(services);
  const own = all.filter(([, { image }]) => image === 'skillgate');

  it.skipIf(serverPrograms() === null)(
    'its commands and its configuration bring up two gateways',
    async () => {
      const postgres = await postgresServer();
      const servers: HttpServer[] = [];
      try {
        const { POSTGRES_USER: user, POSTGRES_DB: database } = services.database?.environment ?? {};
        await postgres.query(`create role ${user} login`);
        await postgres.query(`create database ${database} owner ${user}`);
        cpSync(examples, join(place.folder, 'skills'), { recursive: true });
        const given = readFileSync(join(folder, 'skillgate.config.yaml'), 'utf8');
        const here = (text: string) =>
          text
            .replace('/srv/skills', join(place.folder, 'skills'))
            .replace('/etc/skillgate', place.folder)
            .replace('@database/', `@127.0.0.1:${postgres.port}/`);
        place.write('skillgate.config.yaml', here(given));
        const placeOf = ({ environment }: Service) => ({
          start: (...args: string[]) =>
            place.startWith(
              { ...environment },
              ...args.map((arg) => (arg === 'index' ? `i-${servers.length}` : arg)),
            ),
        });
        const { init } = services;
        const [first, ...others] = own.slice(1).map(([, service]) => service);
        expect(await placeOf(init!).start(...init!.command!.map(here)).finished).toMatchObject({ code: 0 });
        // As the comment on top of the file says.
        const made = await placeOf(init!).start('token', 'create', 'alice').finished;
        expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/\S{20}/) });
        for (const service of [first!, ...others]) {
          expect(service.command?.slice(0, 2)).toEqual(['serve', '--http']);
          const cache = `store.cache=${join(place.folder, `copy-${servers.length}`)}`;
          servers.push(
            await serveHttp(placeOf(service), null, ...service.command!.slice(2).map(here), '--set', cache),
          );
        }
        for (const { url } of servers) {
          const local = url.replace('0.0.0.0', '127.0.0.1');
          await expect.poll(async () => (await ask(new URL('/readyz', local).href)).status).toBe(200);
          const authorization = `Bearer ${made.stdout.trim()}`;
          await expect
            .poll(async () => (await post(local, LIST, { authorization })).text)
            .toContain('email-deliverability');
          expect((await post(local, LIST)).status).toBe(401);
        }
      } finally {
        await Promise.all(servers.map((server) => server.end('SIGKILL')));
        await postgres.remove();
      }
    },
  );
});

const LIST = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_skills', arguments: { query: 'our mails land in the junk folder' } },
});
