/**
 * Scripts that reach domains, through the real sandbox where this machine has one: a server on loopback stands for
 * every name, by a connector that no configuration can give.
 */

import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox } from '../../../extensions/scripts/sandbox/open.ts';
import { ScriptRunner } from '../../../extensions/scripts/script-runner.ts';
import { LOCAL } from '../../../src/gateway/policy/principal.ts';
import type { ScriptRecord } from '../../../src/gateway/scripts.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';

const sandbox = openSandbox(MACHINE);
const { layer, problems } = await sandbox.status();
const missing = [
  ...problems,
  ...['python3', 'curl', 'socat'].filter((name) => sandbox.programPath(name) === null),
];
const sandboxed = needsThat(layer !== null && missing.length === 0, 'the sandbox, python3, curl and socat');

const py = (text: string) => `#!/usr/bin/env python3\n${text}\n`;
const GET = py(`
import json, sys, urllib.request
found = {}
for url in sys.argv[1:]:
    try: found[url] = urllib.request.urlopen(url, timeout=10).read().decode()
    except Exception as error: found[url] = str(error)
print(json.dumps(found))`);

import { MACHINE } from '../../machine.ts';
import { needsThat } from '../../needs.ts';
import { listening } from '../../src/serve/stdio/ask.ts';

const skillFile = (name: string, network: string) =>
  skill(name, 'Runs things').replace('\n---\n#', `\nmetadata:\n  skillgate.network: ${network}\n---\n#`);
const TREE = {
  'asks/SKILL.md': skillFile('asks', '"example.org *.example.net other.com"'),
  'asks/scripts/get.py': GET,
  'asks/scripts/curl.sh':
    'curl -sS --fail http://example.org/one && curl -sS -p http://example.org/two; curl -sSL http://example.org/moved; exit 0',
  'asks/scripts/linger.sh':
    'curl -sS http://example.org/never & (setsid curl -sS http://example.org/never &) ; sleep 0.3; echo done',
  'silent/SKILL.md': skill('silent', 'Runs things'),
  'silent/scripts/get.py': GET,
};

let web: Awaited<ReturnType<typeof listening>>;
let asked: string[] = [];
beforeAll(async () => {
  web = await listening((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    if (request.url === '/never') return;
    if (request.url === '/moved') response.writeHead(302, { location: 'http://evil.example.com/' });
    response.end(`answer to ${request.url}`);
  });
});
afterAll(() => web.close());

const MiB = 2 ** 20;

function desk(domains: readonly string[]) {
  const { library, gateway } = testLibrary(TREE);
  const records: ScriptRecord[] = [];
  asked = [];
  let ids = 0;
  const scripts = new ScriptRunner({
    library,
    sandbox,
    allowed: () => true,
    confirm: 'never',
    limits: {
      wallMs: 60_000,
      cpuMs: 30_000,
      memoryBytes: 256 * MiB,
      processes: 32,
      fileBytes: MiB,
      workBytes: 4 * MiB,
      outputBytes: MiB,
    },
    env: {},
    domains,
    folders: [],
    connect: () => connect(web.port, '127.0.0.1'),
    concurrency: 1,
    queue: 1,
    keepMs: 1_000,
    keep: { files: 5, bytes: 100 },
    audit: (record) => records.push(record),
    newId: () => `id${ids++}`,
    now: () => 0,
  });
  const run = async (name: string, script: string, words: readonly string[] = []) => {
    const input = { kind: 'plain', words, stdin: new Uint8Array(), files: [] } as const;
    const prepared = await scripts.prepare({ skill: name, script, input }, { principal: LOCAL, gateway });
    return prepared.run();
  };
  return { run, records };
}

const left = () =>
  readdirSync('/tmp').filter(
    (name) => name.startsWith('skillgate-proxy-') && existsSync(`/tmp/${name}/socket`),
  );

describe('a script whose skill asks for domains', sandboxed, () => {
  it('reaches those that are also granted, and gets a refusal for others', async () => {
    const { run, records } = desk(['example.org', 'api.example.net', 'unasked.com']);
    const urls = [
      'http://example.org/a',
      'http://api.example.net/b',
      'http://other.com/',
      'http://unasked.com/',
      'http://169.254.169.254/latest',
    ];
    const outcome = await run('asks', 'get', urls);
    expect(outcome, outcome.stderr).toMatchObject({ exitCode: 0, wanted: ['*.example.net', 'other.com'] });
    expect(outcome.json).toMatchObject({
      'http://example.org/a': 'answer to /a',
      'http://api.example.net/b': 'answer to /b',
      'http://other.com/': expect.stringContaining('403'),
      'http://unasked.com/': expect.stringContaining('403'),
      'http://169.254.169.254/latest': expect.stringContaining('403'),
    });
    expect(asked).toEqual(['example.org/a', 'api.example.net/b']);
    expect(outcome.traffic.reached).toEqual(['api.example.net', 'example.org']);
    expect(outcome.traffic.refused.map(({ domain }) => domain)).toEqual([
      'other.com',
      'unasked.com',
      '169.254.169.254:80',
    ]);
    expect(records).toMatchObject([{ outcome: 'done', traffic: outcome.traffic }]);
  });

  it('may tunnel, and cannot follow a redirect to another domain', async () => {
    const { run } = desk(['example.org']);
    const outcome = await run('asks', 'curl');
    expect(outcome.stdout, outcome.stderr).toContain('answer to /oneanswer to /two');
    expect(asked).toEqual(['example.org/one', 'example.org/two', 'example.org/moved']);
    expect(outcome.traffic.refused.map(({ domain }) => domain)).toEqual(['evil.example.com']);
  });

  it('leaves no connection, no process and no socket', async () => {
    const before = new Set(left());
    const { run } = desk(['example.org']);
    const outcome = await run('asks', 'linger');
    expect(outcome.stdout).toBe('done\n');
    await expect
      .poll(() => new Promise((resolve) => web.server.getConnections((_, count) => resolve(count))))
      .toBe(0);
    // Runs of other tests may be active.
    await expect.poll(() => left().filter((name) => !before.has(name))).toEqual([]);
  });
});

describe('a script whose skill asks for no domain', sandboxed, () => {
  it('has no network and no proxy even where domains are granted', async () => {
    const { run } = desk(['example.org']);
    const { json, traffic } = await run('silent', 'get', ['http://example.org/a']);
    expect(Object.values(json as object).join()).not.toContain('answer');
    expect(traffic).toEqual({ reached: [], refused: [] });
    expect(asked).toEqual([]);
  });
});
