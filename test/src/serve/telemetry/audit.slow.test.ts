/** The audit log: who did what, without contents. */

import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { observed } from '../../../../src/gateway/intercept.ts';
import { type AuditOptions, openAudit } from '../../../../src/serve/telemetry/audit.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { fakeGateway, SKILLS } from '../../mcp/fake-gateway.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'logs', 'audit.log');
});

const NOW = new Date('2026-11-22T01:02:03.004Z');

function audit(options: Partial<AuditOptions> = {}) {
  const logged: string[] = [];
  const lost: true[] = [];
  const opened = openAudit({
    path,
    redact: [],
    log: (message) => logged.push(message),
    onLost: () => lost.push(true),
    now: () => NOW,
    ...options,
  });
  const gateway = observed(fakeGateway(SKILLS), {
    principal: { id: 'alice', scopes: [] },
    observe: opened.observe,
    now: () => 0,
  });
  return { audit: opened, gateway, logged, lost };
}

const lines = (file = path): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const RECORD = {
  principal: 'alice',
  skill: 'documents/pdf-forms',
  digest: 'd'.repeat(64),
  script: 'scripts/fill.py',
  inputHash: 'a'.repeat(64),
  parameters: { name: 'x', pass: '[redacted]' },
  outcome: 'killed',
  exitCode: null,
  killedBy: 'memory',
  traffic: { reached: [], refused: [] },
  durationMs: 12,
  cpuMs: 10,
  peakBytes: 1_000,
} as const;

describe('openAudit', () => {
  it('writes each run of a script, with a hash of its input', async () => {
    const { audit: log } = audit();
    log.script(RECORD);
    const { principal: _, ...run } = RECORD;
    await log.close();
    expect(lines()).toEqual([
      {
        level: 'info',
        time: NOW.toISOString(),
        event: 'script',
        who: 'alice',
        ...run,
      },
    ]);
  });

  it('writes who searched, loaded and read what, with the outcome and without results', async () => {
    const { audit: log, gateway } = audit();
    await gateway.search({ query: 'fill a form', limit: 2 });
    await gateway.load({ skill: 'documents/pdf-forms' });
    await gateway.read({ skill: 'documents/pdf-forms', path: 'references/fields.md', lines: [1, 2] });
    await gateway.load({ skill: 'nothing' }).catch(() => {});
    await log.close();
    const common = { level: 'info', time: NOW.toISOString(), event: 'call', who: 'alice', ms: 0 };
    expect(lines()).toEqual([
      expect.objectContaining({
        ...common,
        call: 'search',
        arguments: { query: 'fill a form', limit: 2 },
        outcome: 'ok',
        hits: expect.arrayContaining(['documents/pdf-forms']),
      }),
      expect.objectContaining({ ...common, call: 'load', outcome: 'ok', skill: 'documents/pdf-forms' }),
      expect.objectContaining({ ...common, call: 'read', outcome: 'ok', bytes: expect.any(Number) }),
      { ...common, call: 'load', arguments: { skill: 'nothing' }, outcome: 'SKILL_UNKNOWN' },
    ]);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain('Fill each field');
    expect(text).not.toContain('on fields');
  });

  it('masks the configured paths, and credentials always', async () => {
    const { audit: log, gateway } = audit({ redact: ['arguments.query'] });
    await gateway.search({ query: 'a private matter', limit: 1 });
    await gateway.load({ skill: `sgt_${'B'.repeat(43)}` }).catch(() => {});
    await log.close();
    expect(lines()).toMatchObject([
      { arguments: { query: '[redacted]', limit: 1 } },
      { arguments: { skill: '[redacted]' } },
    ]);
    expect(readFileSync(path, 'utf8')).not.toMatch(/private matter|BBBB/);
  });

  it('rejects an invalid redaction path at once', () => {
    expect(() => audit({ redact: ['['] })).toThrow();
  });

  it('writes requests, and leaves out the server’s own calls', async () => {
    const { audit: log, gateway } = audit();
    await gateway.summary();
    log.access({
      who: null,
      remote: '127.0.0.1',
      method: 'POST',
      path: '/mcp',
      status: 401,
      ms: 1.2345,
      bytesIn: 0,
      bytesOut: 0,
      reject: 'missing',
    });
    await log.close();
    expect(lines()).toEqual([
      expect.objectContaining({ event: 'access', who: null, status: 401, ms: 1.23, reject: 'missing' }),
    ]);
  });

  it('continues in a new file after a rotation', async () => {
    const { audit: log, gateway } = audit();
    await gateway.load({ skill: 'documents/pdf-forms' });
    await expect.poll(() => lines().length).toBe(1);
    renameSync(path, `${path}.1`);
    log.reopen();
    await gateway.load({ skill: 'team-a/deploy' });
    await log.close();
    expect(lines(`${path}.1`)).toMatchObject([{ skill: 'documents/pdf-forms' }]);
    expect(lines()).toMatchObject([{ skill: 'team-a/deploy' }]);
  });

  it('survives a full disk: logs it once and counts lost lines', async ({ skip }) => {
    if (process.platform !== 'linux') return skip();
    const { audit: log, gateway, logged, lost } = audit({ path: '/dev/full' });
    // 30 × 500 characters per line: more than the buffer.
    const tags = Array.from({ length: 30 }, (_, at) => `${at}-${'x'.repeat(490)}`);
    await gateway.load({ skill: 'team-a/deploy' });
    await expect.poll(() => logged).toEqual([expect.stringContaining('ENOSPC')]);
    for (let call = 0; call < 400; call++)
      await gateway.search({ query: 'fill a form', limit: 1, filter: { tags } });
    await expect.poll(() => lost.length).toBeGreaterThan(0);
    expect((await gateway.load({ skill: 'documents/pdf-forms' })).entry.id).toBe('documents/pdf-forms');
    await log.close();
    expect(logged).toHaveLength(1);
  });
});
