/** An audit log that is changed is noticed, and a server that needs one answers nothing without it. */

import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCommandAudit } from '../../src/app/public.ts';
import { observed } from '../../src/gateway/public.ts';
import { LOCAL } from '../../src/policy/public.ts';
import { openAudit, verifyChain } from '../../src/telemetry/public.ts';
import { skillFile, workplace } from '../acceptance/command.ts';
import { serveHttp } from '../acceptance/http-server.ts';
import { fakeGateway } from '../src/mcp/fake-gateway.ts';
import { SKILLS } from '../src/mcp/harness.ts';
import { rpc, sendFrom, tokenOf } from './http-server.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-chain-'));
  path = join(folder, 'audit.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const CONFIG = { metrics: false, log: 'info' as const, redact: [] };
const linesOf = (file = path) => readFileSync(file, 'utf8').trimEnd().split('\n');
const verified = (lines: readonly string[]) =>
  verifyChain(
    (async function* () {
      yield* lines;
    })(),
  );

/** One process that loads a skill `count` times. */
async function written(count: number): Promise<void> {
  const audit = openAudit({ path, redact: [], log: () => {}, onLost: () => {}, now: () => new Date(0) });
  const gateway = observed(fakeGateway(SKILLS), { principal: LOCAL, observe: audit.observe, now: () => 0 });
  for (let at = 0; at < count; at += 1) await gateway.load({ skill: 'team-a/deploy' });
  await audit.close();
}

it('each change, removal, insertion and exchange of a line breaks the chain', async () => {
  await written(3);
  await written(3);
  const lines = linesOf();
  expect(await verified(lines)).toMatchObject({ lines: 6, writers: 2, continued: 0, broken: null });
  for (let at = 0; at < lines.length - 1; at += 1) {
    const changed = lines.with(at, lines[at]!.replace('team-a', 'team-b'));
    expect((await verified(changed)).broken, `changed ${at}`).not.toBeNull();
    const removed = lines.toSpliced(at, 1);
    // Without its first line a chain looks like that of a rotated file, which the report counts.
    const { broken, continued } = await verified(removed);
    expect(broken !== null || continued > 0, `removed ${at}`).toBe(true);
    const inserted = lines.toSpliced(at + 1, 0, lines[at]!);
    expect((await verified(inserted)).broken, `inserted ${at}`).not.toBeNull();
    const exchanged = lines.with(at, lines[at + 1]!).with(at + 1, lines[at]!);
    expect((await verified(exchanged)).broken, `exchanged ${at}`).not.toBeNull();
  }
  expect((await verified([...lines, '{"event":"call"}'])).broken).toMatchObject({ line: 7 });
});

it('a line that another process has half written does not break the chain of the next', async () => {
  await written(2);
  appendFileSync(path, '{"half":');
  const audit = openAudit({ path, redact: [], log: () => {}, onLost: () => {}, now: () => new Date(0) });
  audit.event({ event: 'token', action: 'revoke', name: 'ci' });
  await audit.close();
  const [first = '', second = '', third = ''] = linesOf();
  const own = third.slice(third.indexOf('{"level"'));
  expect((await verified([first, second, own])).broken).toBeNull();
});

it('records searches with fit and weak, and events without secrets', async () => {
  const audit = await openCommandAudit({ ...CONFIG, audit: path, auditRequired: false }, () => {});
  const gateway = audit!.observed(fakeGateway(SKILLS), LOCAL);
  await gateway.search({ query: 'fill a form', limit: 1 });
  audit!.event({ event: 'source', name: 'team', origin: 'https://a:b@git.example/x', resolved: 'c0ffee' });
  await audit!.close();
  const [search, source] = linesOf().map((line) => JSON.parse(line));
  expect(search).toMatchObject({ call: 'search', fit: expect.any(Number), weak: expect.any(Boolean) });
  expect(source).toMatchObject({
    event: 'source',
    resolved: 'c0ffee',
    origin: 'https://[redacted]@git.example/x',
  });
});

it('with auditRequired, calls are refused while the log cannot be written', async ({ skip }) => {
  if (process.platform !== 'linux') return skip();
  const audit = await openCommandAudit({ ...CONFIG, audit: '/dev/full', auditRequired: true }, () => {});
  const gateway = audit!.observed(fakeGateway(SKILLS), LOCAL);
  await gateway.load({ skill: 'team-a/deploy' });
  await expect
    .poll(() => gateway.load({ skill: 'team-a/deploy' }).catch(({ code }) => code), { timeout: 5_000 })
    .toBe('AUDIT_UNAVAILABLE');
  await audit!.close();
});

it('with auditRequired, nothing starts without a log that can be written', async () => {
  const config = { ...CONFIG, audit: join(folder, 'audit.log', 'below', 'x'), auditRequired: true };
  await written(1);
  await expect(openCommandAudit(config, () => {})).rejects.toThrow('telemetry.audit');
});

it('has one line for each request and each use of a skill, and no line for what nobody did', async () => {
  const place = workplace();
  const ends: (() => unknown)[] = [];
  try {
    const token = await tokenOf(join(place.folder, 'tokens.json'), 'alice');
    const config = {
      auth: { tokens: 'tokens.json' },
      policy: { rules: [{ who: ['alice'], allow: [{}] }] },
      telemetry: { audit: 'audit.log' },
    };
    place.write('skillgate.config.json', JSON.stringify(config));
    place.write('skills/tea/SKILL.md', skillFile('tea', 'Brew tea'));
    place.write('skills/tea/references/pot.md', 'Warm the pot.\n');
    const server = await serveHttp(place, join(place.folder, 'skills'));
    ends.push(() => server.end());
    let sent = 0;
    const send = (body: string, headers = { authorization: `Bearer ${token}` }) => {
      sent += 1;
      return sendFrom(server.url, { headers, body });
    };
    const call = (name: string, args: object) => rpc('tools/call', { name, arguments: args });
    // Waits until the skill is indexed.
    await expect.poll(async () => (await send(call('list_skills', {}))).text).toContain('Brew tea');
    const log = join(place.folder, 'audit.log');
    const recorded = (from: number) =>
      linesOf(log)
        .slice(from)
        .map((line) => JSON.parse(line));
    const isRequest = ({ method }: { readonly method?: string }) => method !== undefined;
    // Lines are written behind the answers.
    const settled = () => expect.poll(() => recorded(0).filter(isRequest).length).toBe(sent);
    await settled();
    const before = linesOf(log).length;
    await send(call('search_skills', { query: 'brew tea' }));
    await send(call('load_skill', { skill: 'tea' }));
    await send(call('read_reference', { skill: 'tea', path: 'references/pot.md' }));
    await send(call('load_skill', { skill: 'no-such-skill' }));
    await send(rpc('tools/list', {}));
    await send('{"jsonrpc"');
    await send(call('load_skill', { skill: 'a/'.repeat(1_000) }));
    await send(call('load_skill', { skill: 'tea' }), { authorization: 'Bearer none' });
    for (let probe = 0; probe < 3; probe++)
      await sendFrom(new URL('/healthz', server.url).href, { method: 'GET' });
    await settled();
    // A refresh, an unchanged skill and an idle server are nobody's acts.
    await sleep(2_500);
    const lines = recorded(before);
    expect(lines.filter(isRequest).map(({ status }) => status)).toEqual([
      ...[200, 200, 200, 200, 200, 400, 400, 401],
    ]);
    expect(
      lines.filter((line) => !isRequest(line)).map(({ call, who, outcome }) => [call, who, outcome]),
    ).toEqual([
      ['search', 'alice', 'ok'],
      ['load', 'alice', 'ok'],
      ['read', 'alice', 'ok'],
      ['load', 'alice', 'SKILL_UNKNOWN'],
    ]);
  } finally {
    for (const end of ends) await end();
    place.remove();
  }
});
