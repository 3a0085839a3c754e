/** Promise: with learning on, what one agent loads helps the next one, and people can see, move and remove what was learned. */

import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examples, program, type Workplace, workplace } from './command.ts';

/** What the first agent asks and loads, and what the next one asks. */
const FIRST = 'server runs out of memory after two days';
const NEXT = 'our API has to be restarted every night';
const SKILL = 'node-memory-leak-hunt';

let place: Workplace;
beforeAll(() => {
  place = workplace();
});
afterAll(() => place.remove());

const at = (index: string) => ['--skills', examples, '--index', join(place.folder, index)];

async function json(index: string, ...args: string[]) {
  const { code, stdout, stderr } = await place.run(...args, '--json', ...at(index));
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const firstHit = async (index: string, ...args: string[]) =>
  (await json(index, 'search', NEXT, ...args)).hits[0].id as string;

async function agent(index: string, work: (client: Client) => Promise<unknown>, ...settings: string[]) {
  const client = new Client({ name: 'acceptance', version: '1' });
  const env = Object.fromEntries(
    Object.entries(place.environment).map(([name, value]) => [name, value ?? '']),
  );
  const args = [program, 'serve', ...at(index), ...settings];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

const searchAndLoad = async (client: Client) => {
  const { structuredContent } = await client.callTool({ name: 'search_skills', arguments: { query: FIRST } });
  expect(JSON.stringify(structuredContent)).toContain(SKILL);
  const loaded = await client.callTool({ name: 'load_skill', arguments: { skill: SKILL } });
  expect(loaded.isError).not.toBe(true);
};

describe('what an agent loads', () => {
  it('puts the skill first for the next agent, who has the same need in other words', async () => {
    await agent('served', searchAndLoad, '--set', 'learn=true');
    const log = join(place.folder, 'served', 'learned', 'uses.log');
    if (process.platform !== 'win32') expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(await firstHit('served', '--set', 'learn=true')).toBe(SKILL);
    // Off, nothing is different.
    expect(await firstHit('served')).not.toBe(SKILL);
    expect((await json('served', 'learned', 'show', SKILL)).requests).toMatchObject([
      { request: FIRST, loads: 1, left: 0, principals: 1 },
    ]);
  });

  it('is not remembered while learning is off', async () => {
    await agent('off', searchAndLoad);
    expect((await json('off', 'learned', 'list')).skills).toEqual([]);
  });

  it('counts against the skill where the agent says that it was wrong', async () => {
    const said = async (client: Client) => {
      await searchAndLoad(client);
      const next = { query: NEXT, feedback: false };
      const { isError } = await client.callTool({ name: 'search_skills', arguments: next });
      expect(isError).not.toBe(true);
    };
    await agent('wrong', said, '--set', 'learn=true');
    const { requests } = await json('wrong', 'learned', 'show', SKILL);
    expect(requests[0].left).toBeGreaterThan(0);
    expect(await firstHit('wrong', '--set', 'learn=true')).not.toBe(SKILL);
  });
});

describe('skillgate learned', () => {
  const mark = () => place.run('learned', 'mark', SKILL, 'useful', '--query', FIRST, ...at('own'));

  it('lists, shows, exports, forgets and imports', async () => {
    expect((await place.run('learned', 'list', ...at('own'))).stdout).toBe('');
    expect((await mark()).code).toBe(0);
    const { stdout: table } = await place.run('learned', 'list', ...at('own'));
    expect(table).toMatch(new RegExp(`^skill +requests +loads.*\\n${SKILL} +1 +1 +0 +1 `));

    const exported = await place.run('learned', 'export', ...at('own'));
    expect(exported.stdout).toContain(FIRST);
    place.write('learned.jsonl', exported.stdout);
    expect((await place.run('learned', 'forget', SKILL, '--request', FIRST, ...at('own'))).code).toBe(0);
    expect((await json('own', 'learned', 'list')).skills).toEqual([]);
    // Forgotten on disk, too.
    expect(readFileSync(join(place.folder, 'own/learned/uses.log'), 'utf8')).not.toContain('memory');
    expect(await firstHit('own', '--set', 'learn=true')).not.toBe(SKILL);

    // Another machine.
    expect((await place.run('learned', 'import', 'learned.jsonl', ...at('other'))).code).toBe(0);
    expect(await firstHit('other', '--set', 'learn=true')).toBe(SKILL);
  });

  it('is shared by processes that write at the same time', async () => {
    const requests = Array.from({ length: 6 }, (_, number) => `request ${'abcdef'[number]}`);
    mkdirSync(join(place.folder, 'many'));
    await json('many', 'search', 'x');
    await Promise.all(
      requests.map((query) => place.run('learned', 'mark', SKILL, 'useful', '--query', query, ...at('many'))),
    );
    const { requests: kept } = await json('many', 'learned', 'show', SKILL);
    expect(kept.map(({ request }: { request: string }) => request).sort()).toEqual(requests);
  });

  it('names what is wrong with an argument, a file or a setting', async () => {
    const refused = async (...args: string[]) => {
      const { code, stderr } = await place.run(...args, ...at('own'));
      return { code, stderr };
    };
    const unknown = await refused('learned', 'mark', 'no-such-skill', 'useful', '--query', 'x');
    expect(unknown.code).toBe(3);
    expect(unknown.stderr).toContain('no-such-skill');
    expect((await refused('learned', 'mark', SKILL, 'perfect', '--query', 'x')).stderr).toMatch(
      /useful|wrong/,
    );
    place.write('bad.jsonl', '{"skill": 1}\n');
    const bad = await refused('learned', 'import', 'bad.jsonl');
    expect(bad.code).toBeGreaterThan(0);
    expect(bad.stderr).toContain('Line 1 of bad.jsonl');
    const setting = await refused('search', 'x', '--set', 'learn.minPrincipals=0');
    expect(setting.code).toBe(2);
    expect(setting.stderr).toContain('learn.minPrincipals');
    expect((await refused('search', 'x', '--set', 'learn.halfLife=30d')).code).toBe(0);
  });

  it('measures what it gains on what was loaded, held apart by time', async () => {
    await place.run('learned', 'mark', SKILL, 'useful', '--query', FIRST, ...at('measured'));
    const { stdout: line } = await place.run('learned', 'export', ...at('measured'));
    const use = JSON.parse(line);
    // An hour apart: the last five are asked, and the first one puts the skill first for the very last.
    const requests = [FIRST, ...[...'abcdefghijkl'].map((letter) => `request ${letter}`), 'heap dump', NEXT];
    place.write('uses.jsonl', requests.map((request, hour) => later(use, request, hour)).join(''));
    await place.run('learned', 'import', 'uses.jsonl', ...at('measured'));
    const [plain, learned] = await json('measured', 'eval', '--from-use');
    expect(plain).toMatchObject({ system: 'without learning', queries: 5, means: { 'Hit@1': 0.2 } });
    const last = (report: { results: { query: { text: string } }[] }) =>
      report.results.find(({ query }) => query.text === NEXT);
    expect(last(plain)).toMatchObject({ values: { 'Hit@1': 0 } });
    expect(last(learned)).toMatchObject({ values: { 'Hit@1': 1 } });
  });
});

/** A line of the log, so many hours after the day before. */
function later(use: { first: number }, request: string, hours: number): string {
  const at = use.first - 86_400 + 3_600 * hours;
  return `${JSON.stringify({ ...use, request, first: at, last: at })}\n`;
}
