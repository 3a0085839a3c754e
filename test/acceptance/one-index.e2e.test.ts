/** Promise: skills at home are indexed once for all projects, and each project still finds its own and nobody else's. */

import { cpSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { connected } from './client.ts';
import { examples, freshWorkplace, skillFile } from './command.ts';

/** Generous: a loaded machine takes long to start programs. */
const PATIENCE = { interval: 250 };
const JUNK = 'our mails land in the junk folder of our customers';

const place = freshWorkplace();
beforeEach(() => {
  cpSync(examples, join(place.home, '.claude/skills'), { recursive: true });
  for (const project of ['a', 'b', 'empty'])
    mkdirSync(join(place.folder, project, '.git'), { recursive: true });
  place.write('a/.claude/skills/alpha/SKILL.md', skillFile('alpha', 'Waters the plants of the office.'));
  place.write('b/.claude/skills/beta/SKILL.md', skillFile('beta', 'Books a meeting room.'));
});

const cache = () => join(place.folder, 'cache/skillgate');

/** Bytes of segments on the disk: a file that several indexes have counts once. */
function segmentBytes(): number {
  const files = readdirSync(cache(), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.segment'))
    .map((name) => statSync(join(cache(), name)));
  return [...new Map(files.map(({ ino, size }) => [ino, size])).values()].reduce(
    (sum, size) => sum + size,
    0,
  );
}

async function found(project: string, query: string, ...more: string[]) {
  const { stdout } = await place.runIn(project, 'search', query, '--json', ...more);
  const { verdict, fit, hits } = JSON.parse(stdout) as {
    readonly verdict: string;
    readonly fit: number;
    readonly hits: readonly { readonly id: string; readonly detail: { readonly score: number } }[];
  };
  return { verdict, fit, hits: hits.map(({ id, detail }) => ({ id, score: detail.score })) };
}

async function serve(project: string): Promise<(query: string) => Promise<string>> {
  const client = await connected({ ...place.server(), cwd: join(place.folder, project) });
  return async (query) =>
    JSON.stringify((await client.callTool({ name: 'search_skills', arguments: { query } })).content);
}

describe('a second project', () => {
  it('adds its own skills to the disk, not those at home, and ranks as if all were indexed for it', async () => {
    expect((await found('a', 'water the plants')).hits[0]?.id).toBe('alpha');
    const one = segmentBytes();
    const second = await found('b', 'book a room');
    expect(second.hits[0]?.id).toBe('beta');
    expect((segmentBytes() - one) / one).toBeLessThan(0.1);
    await found('empty', JUNK);
    const three = segmentBytes();
    await found('empty', JUNK);
    expect(segmentBytes()).toBe(three);
    for (const query of [JUNK, 'book a room', 'water the plants'])
      expect(await found('b', query)).toEqual(await found('b', query, '--index', '../whole'));
    expect((await found('b', 'water the plants')).hits.map(({ id }) => id)).not.toContain('alpha');
  });

  it('has hints before its first search', async () => {
    await found('a', JUNK);
    const { stdout } = await place.shell(
      `cd "${join(place.folder, 'b')}" && echo '${JUNK}' | $SKILLGATE hint`,
    );
    expect(stdout).toContain('email-deliverability');
  });
});

it('skillgate cache lists indexes with their last use, and clean removes those that were not used for 60 days', async () => {
  await found('a', JUNK);
  const { stdout } = await place.run('cache');
  const [unused] = /^[0-9a-f]{16}(?= {2}\d\.\d MB, used \d+ seconds? ago$)/m.exec(stdout) ?? [];
  expect(stdout).toMatch(/^\d\.\d MB in .*\/cache\/skillgate$/m);
  const old = new Date(Date.now() - 61 * 86_400_000);
  const folder = join(cache(), unused!);
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), old, old);
  expect((await place.run('cache', 'clean')).stdout).toBe(`Removed ${unused}.\n`);
  expect((await place.run('cache', 'clean')).stdout).toBe('Everything was used in the last 60 days.\n');
  expect((await found('a', 'water the plants')).hits[0]?.id).toBe('alpha');
});

it('servers of two projects at once follow what changes at home', async () => {
  const [a, b] = await Promise.all([serve('a'), serve('b')]);
  const both = (query: string) =>
    Promise.all([a(query), b(query)]).then((answers) => answers.join('\n---\n'));
  await expect
    .poll(() => both('water the plants, book a meeting room'), PATIENCE)
    .toMatch(/alpha.*---.*beta/s);
  place.write('home/.claude/skills/gamma/SKILL.md', skillFile('gamma', 'Counts the sheep of a herd.'));
  await expect.poll(() => both('count the sheep'), PATIENCE).toMatch(/gamma.*---.*gamma/s);
  rmSync(join(place.home, '.claude/skills/gamma'), { recursive: true });
  await expect.poll(() => both('count the sheep'), PATIENCE).not.toContain('gamma');
  // The index of one is deleted meanwhile: both answer on.
  for (const name of readdirSync(cache())) rmSync(join(cache(), name), { recursive: true, force: true });
  expect(await both(JUNK)).toMatch(/email-deliverability.*---.*email-deliverability/s);
}, 180_000);
