/**
 * Promise: the package works as npm installs it, in an empty folder, without any other package; and what else a release
 * consists of (bundle, plugin, registry entry) is valid by the public schemas and starts.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { fromBuffer } from 'yauzl';
import { temporaryFolder } from '../temporary-folder.ts';
import { examples, root } from './command.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const json = (path: string) => JSON.parse(read(path));
const { version } = json('package.json');

let folder: string;
let installed: string;
let environment: Record<string, string>;

/** What the release check says, which also packs the package for the tests. */
let checked: { status: number | null; stdout: string; stderr: string };
/** Runs npm in that folder. */
function npm(command: string, cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, {
    cwd,
    env: environment,
    encoding: 'utf8',
    shell: true,
  });
  expect({ command, status, stderr: status === 0 ? '' : stderr }).toEqual({ command, status: 0, stderr: '' });
  return stdout;
}
function install(cwd: string): void {
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  const flags = '--offline --omit=optional --no-audit --no-fund';
  npm(`npm install ${flags} ${join(folder, `skillgate-${version}.tgz`)}`, cwd);
}

beforeAll(() => {
  folder = temporaryFolder();
  installed = join(folder, 'installed');
  mkdirSync(installed);
  mkdirSync(join(folder, 'home'));
  environment = {
    // Windows programs do not start without some variables of the system.
    ...(process.platform === 'win32' ? (process.env as Record<string, string>) : {}),
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    NO_COLOR: '1',
  };
  checked = spawnSync(process.execPath, ['release/check.js', folder], { cwd: root, encoding: 'utf8' });
  install(installed);
}, 300_000);

const sizeOf = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

const run = (...args: string[]) =>
  spawnSync('npx', ['--no-install', 'skillgate', ...args], {
    cwd: installed,
    env: environment,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });

/** Starts a server over stdio and returns the names of its tools. */
async function toolsOf(command: string, args: readonly string[], cwd: string): Promise<string[]> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command, args: [...args], cwd, env: environment }));
  try {
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

const TOOLS = ['search_skills', 'load_skill', 'read_reference', 'list_skills'];

describe('the installed package', () => {
  it('brings no other package and takes at most 25 MB', () => {
    expect(readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'skillgate',
    ]);
    expect(sizeOf(join(installed, 'node_modules'))).toBeLessThan(25e6);
  });

  it('starts through npx', () => {
    expect(npm('npx --no-install skillgate --version', installed).trim()).toBe(version);
  });

  it('answers the demo, and searches', () => {
    const demo = run('demo');
    expect(demo.status, demo.stderr).toBe(0);
    expect(demo.stdout).toContain('load_skill("');
    const found = run('search', 'our mails land in the junk folder', '--skills', examples, '--json');
    expect(JSON.parse(found.stdout).hits[0].id).toBe('email-deliverability');
  });

  it('serves over stdio', async () => {
    expect(
      await toolsOf('npx', ['--no-install', 'skillgate', 'serve', '--skills', examples], installed),
    ).toEqual(TOOLS);
  });

  it('is a library', () => {
    writeFileSync(
      join(installed, 'use.js'),
      `import { parseSkill } from 'skillgate';
const skill = parseSkill(new TextEncoder().encode('---\\nname: a\\ndescription: First.\\n---\\nx'), { path: 'SKILL.md', folder: 'a' });
console.log(skill.description);`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, ['use.js'], { cwd: installed, encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: 'First.\n', stderr: '' });
  });

  it('connects hosts to itself, and the command that it writes starts', async () => {
    const { status, stderr } = run('connect', 'cursor', '--yes', '--skills', examples);
    expect(status, stderr).toBe(0);
    const file = join(environment.HOME ?? '', '.cursor/mcp.json');
    const { command, args } = JSON.parse(readFileSync(file, 'utf8')).mcpServers.skillgate;
    expect(args[0]).toContain(join('node_modules', 'skillgate', 'dist', 'skillgate.cjs'));
    expect(await toolsOf(command, args, folder)).toEqual(TOOLS);
  });

  it('holds each file that a reader or an agent needs, and nothing of the tests', () => {
    const own = join(installed, 'node_modules/skillgate');
    expect(readdirSync(own).sort()).toEqual(
      [
        'ARCHITECTURE.md',
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'dist',
        'docs',
        'examples',
        'models',
        'package.json',
      ].sort(),
    );
    expect(json('package.json').dependencies).toBeUndefined();
  });
});

describe('the files of a release', () => {
  const valid = (schema: string, value: unknown) => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    formats.default(ajv);
    const check = ajv.compile(json(`test/fixtures/schemas/${schema}`));
    check(value);
    return check.errors;
  };

  it.each([
    ['server.json', 'server.schema.json'],
    ['release/manifest.json', 'mcpb-manifest.schema.json'],
    ['plugin/.claude-plugin/plugin.json', 'claude-code-plugin.schema.json'],
  ])('%s is valid by its public schema, which refuses a wrong one', (file, schema) => {
    expect(valid(schema, json(file))).toBeNull();
    expect(valid(schema, { ...json(file), name: 1 })).not.toBeNull();
  });

  it('all have the version of the package, and the release check finds nothing', () => {
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    expect(checked.stdout).toContain('Ready for release.');
  });

  it('start what they name: the plugin', async () => {
    const { command, args, alwaysLoad } = json('plugin/.mcp.json').mcpServers.skillgate;
    expect(alwaysLoad).toBe(true);
    // npx finds the installed package in this folder, as it finds the published one elsewhere.
    expect(await toolsOf(command, args, installed)).toEqual(TOOLS);
    const [plugin] = json('.claude-plugin/marketplace.json').plugins;
    expect(existsSync(join(root, plugin.source, '.claude-plugin/plugin.json'))).toBe(true);
  });

  it('start what they name: the registry entry', async () => {
    const [{ identifier, runtimeHint, packageArguments }] = json('server.json').packages;
    const args = ['-y', identifier, ...packageArguments.map(({ value }: { value: string }) => value)];
    expect(await toolsOf(runtimeHint, args, installed)).toEqual(TOOLS);
  });

  it('start what they name: the bundle', async () => {
    const bundle = join(folder, 'skillgate.mcpb');
    execFileSync(process.execPath, ['release/bundle-mcpb.js', bundle], { cwd: root });
    const unpacked = join(folder, 'bundle');
    await unzip(bundle, unpacked);
    const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'));
    expect(existsSync(join(unpacked, manifest.server.entry_point))).toBe(true);
    const { command, args } = manifest.server.mcp_config;
    const given = args.map((arg: string) => arg.replace('${' + '__dirname}', unpacked));
    const names = await toolsOf(command, given, folder);
    expect(names).toEqual(manifest.tools.map(({ name }: { name: string }) => name));
  });
});

/** Unpacks an archive with a reader of another maker; every checksum is checked. */
function unzip(file: string, target: string): Promise<void> {
  return new Promise((resolve, reject) => {
    fromBuffer(readFileSync(file), { lazyEntries: true, validateEntrySizes: true }, (error, archive) => {
      if (error) return reject(error);
      archive.on('end', resolve).on('error', reject);
      archive.on('entry', (entry) => {
        archive.openReadStream(entry, (problem, stream) => {
          if (problem) return reject(problem);
          const path = join(target, entry.fileName);
          mkdirSync(dirname(path), { recursive: true });
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
          stream.on('end', () => {
            writeFileSync(path, Buffer.concat(chunks), {
              mode: (entry.externalFileAttributes >>> 16) & 0o777,
            });
            archive.readEntry();
          });
        });
      });
      archive.readEntry();
    });
  });
}
