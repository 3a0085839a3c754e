/** What the audit log has lines for; and a server that needs one answers nothing without it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { openCommandAudit } from '../../src/app/open-telemetry.ts';
import { LOCAL } from '../../src/gateway/policy/principal.ts';
import { skillFile, workplace } from '../acceptance/command.ts';
import { serveHttp } from '../acceptance/http-server.ts';
import { fakeGateway, SKILLS } from '../src/mcp/fake-gateway.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { rpc, sendFrom, tokenOf } from './http-server.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'audit.log');
});

const CONFIG = { metrics: false, log: 'info' as const, redact: [] };
const linesOf = (file = path) => readFileSync(file, 'utf8').trimEnd().split('\n');

it('with auditRequired, calls are refused while the log cannot be written', async ({ skip }) => {
  if (process.platform !== 'linux') return skip();
  const audit = await openCommandAudit({ ...CONFIG, audit: '/dev/full', auditRequired: true }, () => {});
  const gateway = await audit!.served(async () => fakeGateway(SKILLS))(LOCAL);
  await gateway.load({ skill: 'team-a/deploy' });
  await expect
    .poll(() => gateway.load({ skill: 'team-a/deploy' }).catch(({ code }) => code))
    .toBe('AUDIT_UNAVAILABLE');
  await audit!.close();
});

it('with auditRequired, nothing starts without a log that can be written', async () => {
  const config = { ...CONFIG, audit: join(folder, 'audit.log', 'below', 'x'), auditRequired: true };
  writeFileSync(path, '');
  await expect(openCommandAudit(config, () => {})).rejects.toThrow('telemetry.audit');
});

it('has one line for each request and each use of a skill, and no line for what no one did', async () => {
  const place = workplace();
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
  // A refresh, an unchanged skill and an idle server are no one's acts.
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
});
