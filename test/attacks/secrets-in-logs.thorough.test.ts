/** Secrets in what callers send, wherever they stand, do not reach the audit log. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { observed } from '../../src/gateway/intercept.ts';
import { openAudit } from '../../src/serve/telemetry/audit.ts';
import { fakeGateway, SKILLS } from '../src/mcp/fake-gateway.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const folder = temporaryFolder();

/** Put together here, so that no scanner of repositories takes them for real ones. */
const a = (count: number) => 'a1B2'.repeat(100).slice(0, count);
const hex = (count: number) => '0f1e2d3c'.repeat(40).slice(0, count);
const SECRETS: readonly (readonly [text: string, secret: string])[] = [
  ['password=hunter2-of-mine', 'hunter2-of-mine'],
  ["the password: 'two words'", 'two words'],
  ['DB_PASSWORD=correct-horse psql', 'correct-horse'],
  ['Authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['curl -u admin:s3cr3t-word https://x.example', 's3cr3t-word'],
  ['mysql --password hunter3-of-mine', 'hunter3-of-mine'],
  ['https://me:pa55-word@git.example/x', 'pa55-word'],
  ['{"api_key":"abcdef-not-known"}', 'abcdef-not-known'],
  [`it says ASIA${'ABCD2345'.repeat(2)}`, 'ABCD2345'],
  [`npm_${a(36)}`, a(30)],
  [`hvs.${a(60)}`, a(30)],
  [`hf_${'abCD'.repeat(9).slice(0, 34)}`, 'abCDabCDabCD'],
  [`SG.${a(22)}.${a(43)}`, a(20)],
  [`AIza${a(35)}`, a(30)],
  [`glpat-${a(20)}`, a(20)],
  [`dapi${hex(32)}`, hex(32)],
  [`xoxb-${a(24)}`, a(20)],
  [`AccountKey=${a(86)}==`, a(60)],
  [`dp.pt.${a(43)}`, a(40)],
  [`123456789:AA${a(33)}`, a(33)],
  [`dckr_pat_${a(27)}`, a(27)],
];

it('in arguments of calls, by value and in names of members', async () => {
  const path = join(folder, 'audit.log');
  const audit = openAudit({ path, redact: [], log: () => {}, onLost: () => {}, now: () => new Date(0) });
  const gateway = observed(fakeGateway(SKILLS), {
    principal: { id: 'alice', scopes: [] },
    observe: audit.observe,
    now: () => 0,
  });
  for (const [text] of SECRETS) await gateway.search({ query: `why does ${text} fail`, limit: 1 });
  await gateway.search({ query: 'how do I rotate a password or an api key', limit: 1 });
  await audit.close();
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const leaked = SECRETS.filter(([, secret], at) => lines[at]?.includes(secret)).map(([text]) => text);
  expect(leaked).toEqual([]);
  // Ordinary words stay.
  expect(lines.at(-1)).toContain('how do I rotate a password or an api key');
  expect(lines).toHaveLength(SECRETS.length + 1);
});
