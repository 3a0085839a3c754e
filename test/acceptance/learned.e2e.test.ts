/** Promise: with learning on, what one agent loads helps the next one, and people can make it forget. */

import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connected } from './client.ts';
import { examples, workplace } from './command.ts';

/** What the first agent asks and loads, and what the next one asks. */
const FIRST = 'server runs out of memory after two days';
const NEXT = 'our API has to be restarted every night';
const SKILL = 'node-memory-leak-hunt';

const place = workplace();

const at = (index: string) => ['--skills', examples, '--index', join(place.folder, index)];
const learnedIn = (index: string) => join(place.folder, index, 'learned', 'uses.log');

async function json(index: string, ...args: string[]) {
  const { code, stdout, stderr } = await place.run(...args, '--json', ...at(index));
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const firstHit = async (index: string, ...args: string[]) =>
  (await json(index, 'search', NEXT, ...args)).hits[0].id as string;

/** An agent searches and loads the skill. */
async function searchAndLoad(index: string, query: string, ...settings: string[]) {
  const client = await connected(place.server(...at(index), ...settings));
  const { structuredContent } = await client.callTool({ name: 'search_skills', arguments: { query } });
  expect(JSON.stringify(structuredContent)).toContain(SKILL);
  const loaded = await client.callTool({ name: 'load_skill', arguments: { skill: SKILL } });
  expect(loaded.isError).not.toBe(true);
  // What was learned is on disk then.
  await client.close();
}

describe('what an agent loads', () => {
  it('puts the skill first for the next agent, who has the same need in other words', async () => {
    await searchAndLoad('served', FIRST, '--set', 'learn=true');
    if (process.platform !== 'win32') expect(statSync(learnedIn('served')).mode & 0o777).toBe(0o600);
    expect(await firstHit('served', '--set', 'learn=true')).toBe(SKILL);
    // Off, nothing is different.
    expect(await firstHit('served')).not.toBe(SKILL);
  });

  it('is not remembered while learning is off', async () => {
    await searchAndLoad('off', FIRST);
    expect(existsSync(learnedIn('off'))).toBe(false);
  });
});

describe('skillgate forget', () => {
  it('forgets one principal or everything, also on disk', async () => {
    rmSync(join(place.folder, 'own'), { recursive: true, force: true });
    await searchAndLoad('own', FIRST, '--set', 'learn=true');
    expect(await json('own', 'forget', 'somebody-else')).toEqual({ forgotten: 0, left: 1 });
    expect(await firstHit('own', '--set', 'learn=true')).toBe(SKILL);
    expect(await json('own', 'forget', 'local')).toEqual({ forgotten: 1, left: 0 });
    expect(readFileSync(learnedIn('own'), 'utf8')).not.toContain('memory');
    expect(await firstHit('own', '--set', 'learn=true')).not.toBe(SKILL);
    await searchAndLoad('own', FIRST, '--set', 'learn=true');
    const { stderr } = await place.run('forget', '--all', ...at('own'));
    expect(stderr).toContain('Forgot 1 use; 0 uses left.');
  });

  it('names what is wrong with an argument or a setting', async () => {
    for (const args of [['forget'], ['forget', 'local', '--all']]) {
      const { code, stderr } = await place.run(...args, ...at('own'));
      expect(code).toBe(2);
      expect(stderr).toContain('--all');
    }
    const setting = await place.run('search', 'x', '--set', 'learn.minPrincipals=0', ...at('own'));
    expect(setting.code).toBe(2);
    expect(setting.stderr).toContain('learn.minPrincipals');
  });
});
