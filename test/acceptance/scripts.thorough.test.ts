/**
 * Promise: with scripts enabled, those of the example skills return their results through each interface
 * (run_script, skills/execute, execute, skillgate run). With scripts disabled or without a sandbox, nothing runs.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { examples, freshWorkplace } from './command.ts';
import {
  processesWith,
  runScript,
  SWITCHED_ON,
  sandboxed,
  scriptServer,
  writeSkill,
} from './script-server.ts';

const place = freshWorkplace();
const serve = (options: Parameters<typeof scriptServer>[1] = {}) =>
  scriptServer(place, { scripts: { confirm: 'never' }, ...options });

/** Each example skill with a script: its input, and a part of its output. */
const EXAMPLES: readonly [skill: string, script: string, args: Record<string, unknown>, answer: unknown][] = [
  ['ab-test-readout', 'abtest.py', { mode: 'test', n_a: 100, x_a: 10, n_b: 100, x_b: 20 }, {}],
  ['accessibility-audit', 'contrast.mjs', { fg: '#767676', bg: '#ffffff' }, { ratio: 4.54 }],
  ['csv-cleaning', 'profile_csv.py', { csv: 'id;amount\n1;1.234,50\n2;n/a' }, { delimiter: ';', rows: 2 }],
  [
    'email-deliverability',
    'check-record.mjs',
    { type: 'spf', record: 'v=spf1 -all' },
    { type: 'spf', valid: true },
  ],
  [
    'flaky-test-triage',
    'flake_score.py',
    {
      rows: [
        { test: 'a', commit: 'c', outcome: 'fail' },
        { test: 'a', commit: 'c', outcome: 'pass' },
      ],
    },
    { tests: 1, runs: 2 },
  ],
  [
    'home-lab-network-plan',
    'subnet-plan.sh',
    { base: '10.47.0.0/16', zones: 'trusted:60,iot:100' },
    { base: '10.47.0.0/16' },
  ],
  [
    'invoice-reconciliation',
    'match_payments.py',
    {
      invoices: [{ id: 'RE-1', party: 'Acme', date: '2026-04-02', amount: '119.00' }],
      payments: [{ id: 'P1', party: 'Acme', date: '2026-04-20', amount: '119.00', text: 'RE-1' }],
    },
    { open_invoices: [], open_payments: [] },
  ],
  ['lab-solution-prep', 'solution.py', { mode: 'dilute', stock: 10, conc: 0.25, volume_ml: 40 }, {}],
];

const contentSchema = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  isError: z.boolean(),
});
describe.skipIf(!sandboxed)('the scripts of the example skills', () => {
  it('are all in this test', () => {
    const scripts = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\/scripts\/[^/]+$/.test(path),
    );
    expect(scripts.sort()).toEqual(EXAMPLES.map(([skill, script]) => `${skill}/scripts/${script}`));
  });

  it('answer through run_script and skills/execute', async () => {
    const server = await serve({ skills: examples });
    for (const [skill, script, args, answer] of EXAMPLES) {
      const ran = await runScript(server, skill, script, args);
      expect(ran, `${skill}: ${ran.text}`).toMatchObject({ exit_code: 0, isError: false, json: answer });
      const { content, isError } = await server.client.request(
        { method: 'skills/execute', params: { name: skill, script, arguments: args } },
        contentSchema,
      );
      expect(isError).toBe(false);
      expect(JSON.parse(content[0]?.text ?? '')).toEqual(ran.json);
    }
  });

  it('answer through skillgate run', async () => {
    place.write('skillgate.config.json', JSON.stringify({ scripts: SWITCHED_ON }));
    const contrast = ['run', 'accessibility-audit', 'contrast', '--skills', examples];
    for (const args of [
      ['--arguments', '{"fg":"#000","bg":"#fff"}'],
      ['--', '--fg', '#000', '--bg', '#fff'],
    ]) {
      const { code, stdout, stderr } = await place.run(...contrast, ...args);
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ ratio: 21 });
    }
  });
});

describe.skipIf(!sandboxed)('a run', () => {
  it('accepts files, writes files, and skillgate run saves them', async () => {
    writeSkill(place, 'files', { 'copy.sh': 'mkdir out && tr a-z A-Z <"$1" >out/upper.txt && cat - && pwd' });
    place.write('skillgate.config.json', JSON.stringify({ scripts: SWITCHED_ON }));
    const input = place.write('in.txt', 'shout\n');
    const saved = join(place.folder, 'saved');
    const { code, stdout } = await place.run(
      'run',
      'files',
      'copy',
      '--skills',
      join(place.folder, 'skills'),
      '--file',
      input,
      '--output',
      saved,
      '--',
      'in.txt',
    );
    expect([code, stdout]).toEqual([0, '/tmp/work\n']);
    expect(readFileSync(join(saved, 'out/upper.txt'), 'utf8')).toBe('SHOUT\n');
    expect(readdirSync(saved)).toEqual(['out']);
  });

  it('ends with a server that is killed, and leaves no file', async () => {
    const mark = `${process.pid}31`;
    writeSkill(place, 'slow', { 'slow.sh': `echo x >kept; sleep ${mark} & sleep ${mark}` });
    const server = await serve();
    const call = runScript(server, 'slow', 'slow.sh');
    call.catch(() => {});
    await vi.waitFor(() => expect(processesWith(`sleep ${mark}`).length).toBe(2), { timeout: 100_000 });
    process.kill(server.pid, 'SIGKILL');
    await vi.waitFor(() => expect(processesWith(`sleep ${mark}`)).toEqual([]), { timeout: 100_000 });
    expect(readdirSync(server.temporary)).toEqual([]);
  });
});

describe('without permission or without a sandbox', () => {
  it('nothing mentions scripts where they are disabled, which is the default', async () => {
    const server = await serve({ scripts: { enabled: false }, skills: examples });
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('run_script');
    expect(
      (await server.client.listResourceTemplates()).resourceTemplates
        .map(({ uriTemplate }) => uriTemplate)
        .join(),
    ).not.toContain('skill-output');
    place.write('skillgate.config.json', '{}');
    const run = await place.run('run', 'accessibility-audit', 'contrast', '--skills', examples);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain('scripts.enabled');
  });

  it('nothing is run where bubblewrap is not installed; the answer and doctor say what to install', async () => {
    const env = { PATH: join(place.folder, 'empty') };
    const server = await serve({ skills: examples, env });
    const ran = await runScript(server, 'accessibility-audit', 'contrast.mjs', { fg: '#000', bg: '#fff' });
    expect(ran).toMatchObject({
      isError: true,
      error: { code: 'SCRIPTS_UNAVAILABLE', message: expect.stringContaining('apt-get install bubblewrap') },
    });
    const params = { name: 'accessibility-audit', script: 'contrast', arguments: {} };
    await expect(
      server.client.request({ method: 'skills/execute', params }, contentSchema),
    ).rejects.toMatchObject({
      code: -32003,
      data: { code: 'SCRIPTS_UNAVAILABLE' },
    });
    const doctor = await place.shell(`PATH=${env.PATH}; $SKILLGATE doctor --json --skills ${examples}`);
    expect(doctor.code).toBe(1);
    expect(JSON.parse(doctor.stdout)).toMatchObject({ ok: false });
    expect(doctor.stdout).toContain('apt-get install bubblewrap');
  });

  it.skipIf(!sandboxed)('doctor finds nothing wrong and says which layer holds', async () => {
    place.write('skillgate.config.json', JSON.stringify({ scripts: SWITCHED_ON }));
    const { code, stdout } = await place.run('doctor', '--skills', examples);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/sandbox: bubblewrap [\d.]+ works/);
  });
});
