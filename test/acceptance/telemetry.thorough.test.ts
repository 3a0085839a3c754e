/** Promise: the telemetry of a server goes to its configured targets and nowhere else. */

import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, listening, post } from '../src/serve/stdio/ask.ts';
import { connected } from './client.ts';
import { examples, freshWorkplace } from './command.ts';
import { serveHttp } from './http-server.ts';

const SEARCH = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_skills', arguments: { query: 'bulk mails bounce although SPF passes' } },
});

const place = freshWorkplace();

const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(join(place.folder, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('traces', () => {
  it('reach the collector, at the end at the latest, with the use case inside the request', async () => {
    const received: string[] = [];
    const { url: otlp } = await listening((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      request.on('end', () => {
        received.push(`${request.url} ${body}`);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const server = await serveHttp(place, examples, '--set', `telemetry.otlp=${otlp}`);
    const traceId = 'c'.repeat(32);
    await post(server.url, SEARCH, { traceparent: `00-${traceId}-${'d'.repeat(16)}-01` });
    expect(await server.end()).toMatchObject({ code: 0 });
    const sent = received.join('\n');
    expect(sent).toContain('/v1/traces');
    expect(sent).toContain(traceId);
    expect(sent).toContain('skillgate.search');
    expect(sent).not.toContain('bulk mails');
  });

  it('that cannot be sent are logged once and delay no answer', async () => {
    const server = await serveHttp(place, examples, '--set', 'telemetry.otlp=http://127.0.0.1:9');
    expect((await post(server.url, SEARCH)).status).toBe(200);
    const { code, stderr } = await server.end();
    expect(code).toBe(0);
    expect(stderr.match(/Traces cannot be sent/g) ?? []).toHaveLength(1);
  });
});

describe('the audit log', () => {
  it('has the command context like a call of an agent', async () => {
    const own = ['--skills', examples, '--index', 'index', '--set', 'telemetry.audit=audit.log'];
    const { code } = await place.run('context', '--query', 'mails bounce', ...own);
    expect(code).toBe(0);
    expect(linesOf('audit.log')).toMatchObject([
      { event: 'call', who: 'local', call: 'context', arguments: { query: 'mails bounce' }, outcome: 'ok' },
    ]);
  });

  it('counts the run of a script as no load, also one that is refused', async () => {
    const own = ['--skills', examples, '--index', 'index', '--set', 'telemetry.audit=runs.log'];
    const client = await connected(place.server(...own, '--set', 'scripts.enabled=true'));
    const run = { skill: 'accessibility-audit', script: 'contrast' };
    const { isError } = await client.callTool({ name: 'run_script', arguments: run });
    await client.close();
    expect(isError).toBe(true);
    const recorded = linesOf('runs.log');
    expect(recorded).toContainEqual(
      expect.objectContaining({ call: 'find', outcome: 'ok', skill: 'accessibility-audit' }),
    );
    expect(recorded).toContainEqual(expect.objectContaining({ event: 'script', outcome: 'refused' }));
    const { stdout } = await place.run('usage', '--json', ...own);
    expect(JSON.parse(stdout)).toMatchObject({ loads: 0 });
  });

  it('continues in a new file at SIGHUP, so that the platform can rotate it', async () => {
    const server = await serveHttp(place, examples, '--set', 'telemetry.audit=logs/audit.log');
    await post(server.url, SEARCH);
    const events = () => linesOf('logs/audit.log').map(({ event }) => event);
    await expect.poll(events).toEqual(['start', 'call', 'access']);
    renameSync(join(place.folder, 'logs/audit.log'), join(place.folder, 'logs/audit.log.1'));
    process.kill(server.pid, 'SIGHUP');
    await expect
      .poll(async () => {
        await post(server.url, SEARCH);
        return linesOf('logs/audit.log').length;
      })
      .toBeGreaterThan(0);
    expect(await server.end()).toMatchObject({ code: 0 });
    expect(linesOf('logs/audit.log').at(-1)).toMatchObject({ event: 'access', who: 'local', status: 200 });
  });

  it('that cannot be written delays no answer', async ({ skip }) => {
    if (process.platform !== 'linux') return skip();
    const server = await serveHttp(place, examples, '--set', 'telemetry.audit=/dev/full');
    for (let sent = 0; sent < 3; sent++) expect((await post(server.url, SEARCH)).status).toBe(200);
    const { code, stderr } = await server.end();
    expect(code).toBe(0);
    expect(stderr.match(/cannot be written/g)).toHaveLength(1);
  });
});

describe('stderr', () => {
  it('has each request at level debug, and no probes', async () => {
    const server = await serveHttp(place, examples, '--set', 'telemetry.log=debug');
    await post(server.url, SEARCH);
    await ask(`${new URL(server.url).origin}/healthz`);
    const { stderr } = await server.end();
    expect(stderr).toContain('"event":"access","who":"local"');
    expect(stderr).not.toContain('/healthz');
    expect(stderr).not.toContain('bulk mails');
  });
});
