/**
 * Promise: one server answers from repositories, archives, sites, other servers and folders at once. It finds changes
 * without a restart, and a source that goes away and comes back loses no skill.
 */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeEach, describe, expect, it } from 'vitest';
import { packedFiles, tarGz } from '../extensions/remote-sources/archive/packing.ts';
import { repository } from '../extensions/remote-sources/git/repository.ts';
import { type Site, site } from '../extensions/remote-sources/well-known/site.ts';
import { connected } from './client.ts';
import { freshWorkplace, program, skillFile } from './command.ts';

/** Generous: a loaded machine takes long to start programs. */
const PATIENCE = { interval: 250 };

const place = freshWorkplace();
let website: Site;
let client: Client;
let log = '';
beforeEach(async () => {
  website = await site();
  log = '';
});

async function serve(): Promise<void> {
  const transport = new StdioClientTransport({ ...place.server(), stderr: 'pipe' });
  transport.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  client = await connected(transport);
}

async function idsOf(): Promise<string[]> {
  const result = await client.callTool({ name: 'list_skills', arguments: {} });
  const { skills } = result.structuredContent as { skills: readonly { readonly id: string }[] };
  return skills.map(({ id }) => id);
}

const files = (...skills: string[]) =>
  Object.fromEntries(skills.map((skill) => [`${skill}/SKILL.md`, skillFile(skill, `Handles ${skill}.`)]));
const archive = (...skills: string[]) => tarGz(packedFiles(files(...skills)));
const pages = (...skills: string[]) => website.hold(files(...skills));

describe('a server of many sources', () => {
  it('has all sources at its first answer, follows each, and keeps the skills of a source that goes away', async () => {
    const repo = repository({ root: place.folder });
    repo.commit(files('git-one'));
    place.write('pack.tar.gz', archive('pack-one'));
    pages('site-one');
    place.write('theirs/peer-one/SKILL.md', skillFile('peer-one', 'Handles peer-one.'));
    place.write('ours/local-one/SKILL.md', skillFile('local-one', 'Handles local-one.'));
    const url = website.server.origin;
    place.write(
      'skillgate.config.yaml',
      `refresh: 1s
sources:
  - { kind: local, root: ./ours }
  - { kind: git, name: repo, url: ./team.git }
  - { kind: archive, path: ./pack.tar.gz }
  - { kind: well-known, name: site, url: '${url}', allowPrivate: true }
  - kind: mcp
    name: peer
    command: ${JSON.stringify(process.execPath)}
    args: [${JSON.stringify(program)}, serve, --skills, ./theirs, --index, ./their-index]
  - { kind: git, name: nowhere, url: ./nowhere.git }
`,
    );
    await serve();
    expect(await idsOf()).toEqual(['git-one', 'local-one', 'pack-one', 'site-one', 'theirs/peer-one']);
    expect(log.match(/The source nowhere could not be fetched/g)).toHaveLength(1);

    repo.commit(files('git-one', 'git-two'));
    writeFileSync(join(place.folder, 'pack.tar.gz'), archive('pack-two'));
    pages('site-one', 'site-two');
    place.write('theirs/peer-two/SKILL.md', skillFile('peer-two', 'Handles peer-two.'));
    const all = [
      'git-one',
      'git-two',
      'local-one',
      'pack-two',
      'site-one',
      'site-two',
      'theirs/peer-one',
      'theirs/peer-two',
    ];
    await expect.poll(idsOf, PATIENCE).toEqual(all);

    const pack = readFileSync(join(place.folder, 'pack.tar.gz'));
    repo.down();
    rmSync(join(place.folder, 'pack.tar.gz'));
    for (const name of ['repo', 'pack'])
      await expect
        .poll(() => log, PATIENCE)
        .toMatch(new RegExp(`The source ${name} could not be refreshed and shows its state of `));
    expect(await idsOf()).toEqual(all);

    repo.up();
    repo.commit(files('git-three'));
    writeFileSync(join(place.folder, 'pack.tar.gz'), pack);
    await expect.poll(idsOf, PATIENCE).toContain('git-three');
    for (const name of ['repo', 'pack'])
      await expect.poll(() => log, PATIENCE).toContain(`The source ${name} is up to date again.`);
    // Each failure was logged once, not with every attempt.
    expect(log.match(/The source nowhere could not be fetched/g)).toHaveLength(1);
  }, 240_000);
});

describe('a server without configured folders', () => {
  it('serves the default folders when they appear, and logs that there are none', async () => {
    await serve();
    expect(await idsOf()).toEqual([]);
    expect(log).toContain('.claude/skills and .agents/skills are served once they exist');

    place.write('.claude/skills/made-here/SKILL.md', skillFile('made-here', 'Handles this project.'));
    await expect.poll(idsOf, PATIENCE).toEqual(['made-here']);
    place.write('home/.agents/skills/at-home/SKILL.md', skillFile('at-home', 'Handles every project.'));
    await expect.poll(idsOf, PATIENCE).toEqual(['at-home', 'made-here']);
    rmSync(join(place.folder, '.claude'), { recursive: true });
    await expect.poll(idsOf, PATIENCE).toEqual(['at-home']);
  });
});
