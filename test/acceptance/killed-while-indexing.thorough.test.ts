/** Promise: killing an indexing run at any moment leaves a complete index. */

import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { freshWorkplace, skillFile } from './command.ts';

const SKILLS = 300;
const KILLS = 16;

describe('skillgate index, killed by SIGKILL', () => {
  const place = freshWorkplace();

  const writeSkills = (version: string) => {
    for (let at = 0; at < SKILLS; at += 1)
      place.write(
        `skills/s${at}/SKILL.md`,
        skillFile(
          `s${at}`,
          `task number ${at} ${version}`,
          `# ${version}\n\n${'words to index. '.repeat(60)}`,
        ),
      );
  };

  /** Ids in the index on disk, as any reader finds them without checking the folders. */
  const indexed = async (): Promise<{ id: string; description: string }[]> => {
    const { Reader } = await import('../../index/reader/reader.ts');
    const { indexDirectory } = await import('../../src/catalog/index-directory.ts');
    const reader = Reader.open(indexDirectory(`${place.folder}/index`), { embedder: null });
    if (reader === null) return [];
    const entries = Array.from(
      reader.ordinalsByKey(),
      (ordinal) => reader.payload(ordinal) as { id: string; description: string },
    );
    await reader.openVectors();
    reader.close();
    return entries;
  };

  it('leaves the previous index or the new one, never a mixture, and the next run completes it', async () => {
    const arguments_ = ['index', '--skills', 'skills', '--index', 'index'];
    writeSkills('first');
    expect((await place.run(...arguments_)).code).toBe(0);
    const started = performance.now();
    writeSkills('probe');
    expect((await place.start(...arguments_).finished).code).toBe(0);
    const duration = performance.now() - started;

    let before = 'probe';
    let completed = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const after = `version${kill}`;
      writeSkills(after);
      const { child, finished } = place.start(...arguments_);
      // Spread over the whole run; the last one comes after its end, however slow the machine has become.
      const share = (1.1 * kill) / (KILLS - 1);
      await (kill === KILLS - 1 ? finished : Promise.race([wait(duration * share), finished]));
      child.kill('SIGKILL');
      await finished;
      // The next run would wait ten seconds for a dead writer's lock to expire; another test covers that.
      rmSync(`${place.folder}/index/lock`, { recursive: true, force: true });
      const entries = await indexed();
      expect(entries).toHaveLength(SKILLS);
      const versions = new Set(entries.map(({ description }) => description.split(' ').at(-1)));
      expect(versions.size).toBe(1);
      const [found] = versions;
      expect([before, after]).toContain(found);
      if (found === after) completed += 1;
      before = found!;
    }

    // The kills must fall on both sides of the commit for the test to prove anything.
    expect(completed).toBeGreaterThan(0);
    expect(completed).toBeLessThan(KILLS);

    const last = await place.run(...arguments_, '--json');
    expect(last.code).toBe(0);
    expect(JSON.parse(last.stdout)).toMatchObject({ skills: SKILLS });
    const search = await place.run(
      'search',
      'task number 42',
      '--skills',
      'skills',
      '--index',
      'index',
      '--json',
    );
    expect(JSON.parse(search.stdout).hits[0].detail.description).toBe(`task number 42 version${KILLS - 1}`);
  }, 300_000);
});
