/** The use case over real skill folders, with a sandbox that only records its requests. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type RunRequest,
  type RunResult,
  type Sandbox,
  SandboxError,
} from '../../../extensions/scripts/sandbox/sandbox.ts';
import { ScriptRunner, type ScriptsOptions } from '../../../extensions/scripts/script-runner.ts';
import { LOCAL } from '../../../src/gateway/policy/principal.ts';
import type { ScriptRecord, ScriptRequest } from '../../../src/gateway/scripts.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';
import { plant } from '../../src/sources/scan/tree.ts';

const LIMITS: RunRequest['limits'] = {
  wallMs: 30_000,
  cpuMs: 1,
  memoryBytes: 1,
  processes: 1,
  fileBytes: 1,
  workBytes: 1,
  outputBytes: 1,
};
const RESULT: RunResult = {
  exitCode: 0,
  signal: null,
  killedBy: null,
  stdout: Buffer.from('{"a":1}\n'),
  stderr: new Uint8Array(),
  truncated: false,
  files: [],
  leftOut: [],
  wallMs: 12.4,
  cpuMs: 10,
  peakBytes: 2 ** 20,
};
const skillFile = (name: string, metadata: string) =>
  skill(name, 'Runs things').replace('\n---\n#', `\nmetadata:\n  ${metadata}\n---\n#`);
const TREE = {
  'runs/SKILL.md': skill('runs', 'Runs things'),
  'runs/scripts/go.py': 'print("first")',
  'runs/scripts/odd.xyz': 'what is this',
  'careful/SKILL.md': skillFile(
    'careful',
    'skillgate.timeout: 2s\n  skillgate.env: TOKEN\n  skillgate.network: example.com\n  skillgate.arguments: stdin',
  ),
  'careful/scripts/go.sh': 'echo',
};

function desk(
  options: Partial<ScriptsOptions> = {},
  results: readonly (Partial<RunResult> | Error)[] = [{}],
) {
  const library = testLibrary(TREE);
  const requests: RunRequest[] = [];
  const records: ScriptRecord[] = [];
  const left = [...results];
  const sandbox: Sandbox = {
    status: async () => ({ layer: 'none', guarantees: [], problems: [] }),
    programPath: (name) => `/usr/bin/${name}`,
    async run(request) {
      requests.push(request);
      const next = left.shift() ?? {};
      if (next instanceof Error) throw next;
      return { ...RESULT, ...next };
    },
  };
  let ids = 0;
  const scripts = new ScriptRunner({
    library: library.library,
    sandbox,
    allowed: () => true,
    confirm: 'never',
    limits: LIMITS,
    env: { TOKEN: 'token-value', OTHER: 'other-value' },
    domains: [],
    folders: [],
    concurrency: 1,
    queue: 1,
    keepMs: 1_000,
    keep: { files: 5, bytes: 100 },
    audit: (record) => records.push(record),
    newId: () => `id${ids++}`,
    now: () => 0,
    ...options,
  });
  const caller = { principal: LOCAL, gateway: library.gateway };
  const prepare = (request: Partial<ScriptRequest> = {}) =>
    scripts.prepare(
      { skill: 'runs', script: 'go', input: { kind: 'named', values: {} }, ...request },
      caller,
    );
  return { ...library, scripts, requests, records, prepare };
}

const named = (values: Record<string, unknown>) => ({ kind: 'named', values }) as const;

describe('a run', () => {
  it('passes the whole skill, the words, the input and the limits to the sandbox', async () => {
    const { prepare, requests } = desk();
    await (await prepare({ input: named({ name: 'x', _files: { 'in.txt': 'text' } }) })).run();
    const [request] = requests;
    expect(request).toMatchObject({
      command: 'python3',
      args: ['/skill/scripts/go.py', '--name', 'x'],
      env: { TOKEN: 'token-value', OTHER: 'other-value' },
      limits: { wallMs: 30_000 },
    });
    expect(request?.readOnly.map(({ path }) => path)).toEqual([
      'SKILL.md',
      'scripts/go.py',
      'scripts/odd.xyz',
    ]);
    expect(request?.work.map(({ path }) => path)).toEqual(['in.txt']);
    expect(Buffer.from(request?.stdin ?? []).toString()).toBe('{"name":"x"}');
  });

  it('sees a folder that its skill asks for only if it is granted, and is refused with the reason otherwise', async () => {
    const data = plant({ 'in/a.csv': '1', out: { to: '/etc' } });
    const asking = (path: string) =>
      `---\nname: runs\ndescription: Runs.\npermissions: {filesystem: ["${path}"]}\n---\nRun.\n`;
    const { prepare, requests, root, library } = desk({ folders: [data] });
    const asks = async (path: string) => {
      writeFileSync(join(root, 'runs/SKILL.md'), asking(path));
      await library.update();
      return (await prepare()).run();
    };
    await asks(`read:${data}/in`);
    expect(requests.at(-1)).toMatchObject({ folders: [`${data}/in`] });
    for (const [path, reason] of [
      ['read:/srv', /asks to read \/srv, which scripts\.folders does not allow/],
      [`read:${data}/../..`, /does not allow/],
      [`read:${data}/none`, /does not exist/],
      [`read:${data}/out`, /leads to \/etc/],
      [`write:${data}/in`, /folders are read-only/],
    ] as const)
      await expect(asks(path)).rejects.toMatchObject({
        code: 'SCRIPT_REFUSED',
        message: expect.stringMatching(reason),
      });
    expect(requests).toHaveLength(1);
  });

  it('has less memory and no file to write where its skill says so, and never more memory', async () => {
    for (const [memory, memoryBytes] of [
      ['1MiB', 2 ** 20],
      ['900GiB', 2 ** 30],
    ] as const) {
      const limits = { ...LIMITS, memoryBytes: 2 ** 30 };
      const { prepare, requests, root, library } = desk({ limits });
      writeFileSync(
        join(root, 'runs/SKILL.md'),
        `---\nname: runs\ndescription: Runs.\nmetadata:\n  skillgate.memory: ${memory}\n  skillgate.files: read\n---\nRun.\n`,
      );
      await library.update();
      await (await prepare()).run();
      expect(requests[0]?.limits).toEqual({ ...LIMITS, memoryBytes, fileBytes: 0 });
    }
  });

  it('runs the bytes that were verified, even if the file changes afterwards', async () => {
    const { prepare, requests, root } = desk();
    const prepared = await prepare();
    writeFileSync(join(root, 'runs/scripts/go.py'), 'print("swapped")');
    await prepared.run();
    const script = requests[0]?.readOnly.find(({ path }) => path === 'scripts/go.py');
    expect(Buffer.from(script?.bytes ?? []).toString()).toBe('print("first")');
  });

  it('is refused where any file of the skill differs from the catalog', async () => {
    for (const path of ['runs/scripts/go.py', 'runs/SKILL.md', 'runs/extra.txt']) {
      const { prepare, requests, root, library } = desk();
      await library.current();
      writeFileSync(join(root, path), 'print("swapped")');
      await expect(prepare(), path).rejects.toMatchObject({
        code: 'SCRIPT_REFUSED',
        message: expect.stringContaining('changed'),
      });
      expect(requests).toEqual([]);
    }
  });

  it('is refused where configuration or policy do not allow it', async () => {
    await expect(desk({ allowed: () => false }).prepare()).rejects.toMatchObject({ code: 'SCRIPT_REFUSED' });
    const asked: string[] = [];
    const mayRun: ScriptsOptions['mayRun'] = (principal, { id }) => {
      asked.push(`${principal.id} ${id}`);
      return false;
    };
    await expect(desk({ mayRun }).prepare()).rejects.toMatchObject({ code: 'SCRIPT_REFUSED' });
    expect(asked).toEqual(['local runs']);
  });

  it('gets no more than the skill asks for, and never more than is granted', async () => {
    const { prepare, requests } = desk();
    const careful = await prepare({ skill: 'careful', input: named({ a: 1 }), timeoutMs: 50_000 });
    expect((await careful.run()).wanted).toEqual(['example.com']);
    expect(requests[0]).toMatchObject({
      args: ['/skill/scripts/go.sh'],
      env: { TOKEN: 'token-value' },
      limits: { wallMs: 2_000 },
    });
    await (await prepare({ timeoutMs: 500 })).run();
    expect(requests[1]?.limits.wallMs).toBe(500);
    await (await prepare({ timeoutMs: 90_000 })).run();
    expect(requests[2]?.limits.wallMs).toBe(30_000);
  });

  it('returns clean text, parsed JSON, redacted secrets, and files by URI', async () => {
    const { prepare, scripts } = desk({}, [
      {
        stdout: Buffer.from('{"k":"token-value","esc":"\\u001b[1mx"}'),
        stderr: Buffer.from('\u001b[31mtoken-value\u001b[0m'),
        files: [
          { path: 'a.txt', bytes: Buffer.from('has token-value') },
          { path: 'b.bin', bytes: Buffer.from([0xff, 0xfe, 0]) },
        ],
      },
    ]);
    const outcome = await (await prepare()).run();
    expect(outcome).toMatchObject({
      runId: 'id0',
      exitCode: 0,
      stdout: '{"k":"[redacted]","esc":"\\u001b[1mx"}',
      stderr: '[redacted]',
      json: { k: '[redacted]', esc: 'x' },
      durationMs: 12,
    });
    expect(outcome.files.map(({ uri }) => uri)).toEqual([
      'skill-output://id0/a.txt',
      'skill-output://id0/b.bin',
    ]);
    expect(Buffer.from(scripts.output('skill-output://id0/a.txt', LOCAL)?.bytes ?? []).toString()).toBe(
      'has [redacted]',
    );
    expect(scripts.output('skill-output://id0/b.bin', LOCAL)?.bytes).toEqual(Buffer.from([0xff, 0xfe, 0]));
    expect(scripts.output('skill-output://id0/a.txt', { id: 'other', scopes: [] })).toBeNull();
  });

  it('parses only objects and lists as JSON, and no truncated output', async () => {
    const outputs: Partial<RunResult>[] = [
      { stdout: Buffer.from('7') },
      { stdout: Buffer.from('{broken') },
      { stdout: Buffer.from('[1]'), truncated: true },
      { stdout: Buffer.from(' [1]\n') },
    ];
    const { prepare } = desk({}, outputs);
    const found: unknown[] = [];
    for (const _ of outputs) found.push((await (await prepare()).run()).json);
    expect(found).toEqual([undefined, undefined, undefined, [1]]);
  });

  it('is audited with a hash of its input, and so is a refusal', async () => {
    const { prepare, records } = desk({}, [{}, { exitCode: 3 }, { exitCode: null, killedBy: 'memory' }]);
    await (await prepare({ input: named({ password: 'hunter2' }) })).run();
    await (await prepare({ input: named({ password: 'hunter2' }) })).run();
    await (await prepare()).run();
    await expect(prepare({ script: 'odd.xyz' })).rejects.toMatchObject({ code: 'SCRIPT_REFUSED' });
    expect(records.map(({ outcome, exitCode, killedBy }) => [outcome, exitCode, killedBy])).toEqual([
      ['done', 0, null],
      ['failed', 3, null],
      ['killed', null, 'memory'],
      ['refused', null, null],
    ]);
    expect(records[0]).toMatchObject({
      principal: 'local',
      skill: 'runs',
      script: 'scripts/go.py',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      inputHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      durationMs: 12,
      cpuMs: 10,
      peakBytes: 2 ** 20,
    });
    expect(records[1]?.inputHash).toBe(records[0]?.inputHash);
    expect(records[2]?.inputHash).not.toBe(records[0]?.inputHash);
    expect(JSON.stringify(records)).not.toContain('hunter2');
    expect(records[0]?.parameters).toEqual({ password: '[redacted]' });
  });

  it('reports that nothing was run where there is no sandbox', async () => {
    const { prepare } = desk({}, [new SandboxError('SANDBOX_MISSING', 'Install bubblewrap.')]);
    await expect((await prepare()).run()).rejects.toMatchObject({
      code: 'SCRIPTS_UNAVAILABLE',
      message: expect.stringContaining('Install bubblewrap.'),
    });
  });

  it('ends, and its output is dropped, when the server closes', async () => {
    const { prepare, scripts, requests } = desk({}, [{ files: [{ path: 'a', bytes: Buffer.from('x') }] }]);
    await (await prepare()).run();
    expect(requests[0]?.signal?.aborted).toBe(false);
    await scripts.close();
    expect(requests[0]?.signal?.aborted).toBe(true);
    expect(scripts.output('skill-output://id0/a', LOCAL)).toBeNull();
  });
});

describe('prepare', () => {
  it.each([
    [{ skill: 'none' }, 'SKILL_UNKNOWN'],
    [{ script: 'none' }, 'SCRIPT_UNKNOWN'],
    [{ script: 'SKILL.md' }, 'SCRIPT_UNKNOWN'],
    [{ input: named({ 'a b': 1 }) }, 'SCRIPT_ARGUMENTS'],
  ])('refuses %j with %s', async (request, code) => {
    const { prepare, requests } = desk();
    await expect(prepare(request)).rejects.toMatchObject({ code });
    expect(requests).toEqual([]);
  });

  it('shows the command that would be run', async () => {
    const { prepare } = desk();
    expect(
      await prepare({ input: { kind: 'plain', words: ['-x', '$(id)'], stdin: new Uint8Array(), files: [] } }),
    ).toMatchObject({
      skill: 'runs',
      path: 'scripts/go.py',
      command: ['python3', '/skill/scripts/go.py', '-x', '$(id)'],
    });
  });
});
