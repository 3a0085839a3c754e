/** A process that answers from the last check of the folders by another one. */

import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import type { RecentCheck } from '../../../src/catalog/indexing/options.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';
import { add, plant } from '../sources/scan/tree.ts';

const NAMES = ['pdf', 'csv', 'sql', 'git', 'tea', 'kiln'];

/** Skills with two references each, indexed by a first process. Every look counts as slow; `time` is ms since 1970. */
async function indexed(time: () => number) {
  const root = plant(
    Object.fromEntries(
      NAMES.flatMap((name) => [
        [`${name}/SKILL.md`, skill(name, `All about ${name}`)],
        [`${name}/references/one.md`, 'One.'],
        [`${name}/references/two.md`, 'Two.'],
      ]),
    ),
  );
  const directory = memoryDirectory();
  const process = (recent: Partial<RecentCheck> = {}) => {
    const place = testLibrary(root, {
      directory,
      recent: { maxAgeMs: 600_000, quickMs: 0, key: 'these folders', time, ...recent },
    });
    const search = async (query: string) =>
      (await place.gateway.search({ query, limit: 10 })).hits.map(({ entry }) => entry);
    return { ...place, search };
  };
  const first = process();
  await first.library.update();
  expect(first.library.checkedAt).toBe(null);
  return { root, directory, process };
}

/** Some seconds after the files were written: files and clocks agree to a second only. */
const later = () => Date.now() + 5_000;

describe('a catalog that was looked at recently, and is slow to look at', () => {
  it('is not looked at again, and says when it was', async () => {
    const { process } = await indexed(later);
    const { search, library, done } = process();
    const entries = await search('pdf');
    expect(entries[0]?.id).toBe('pdf');
    expect(await library.confirm(entries)).toBe(true);
    expect(done).toMatchObject({ scans: 0, locks: 0 });
    expect(library.checkedAt).toBeGreaterThan(Date.now());
  });

  it.each<[string, Partial<RecentCheck>]>([
    ['it was looked at too long ago', { time: () => later() + 600_000 }],
    ['the clock went back', { time: () => 0 }],
    ['other folders were looked at', { key: 'others' }],
    ['it is quick to look at', { quickMs: 1_000 }],
    ['only a look of this process counts', { maxAgeMs: 0 }],
  ])('is looked at where %s', async (_, recent) => {
    const { process } = await indexed(later);
    const { search, library, done } = process(recent);
    await search('pdf');
    expect(done.scans).toBe(1);
    expect(library.checkedAt).toBe(null);
  });

  it('is trusted for a hundred times what a look takes, where that is longer', async () => {
    // Six skills are expected to take 0.3 ms.
    const time = later();
    const { process } = await indexed(() => time);
    const scansAfter = async (ms: number) => {
      const { search, done } = process({ maxAgeMs: 1, time: () => time + ms });
      await search('pdf');
      return done.scans;
    };
    expect(await scansAfter(25)).toBe(0);
    expect(await scansAfter(35)).toBe(1);
  });

  it('is looked at where the record is damaged, and where fresh answers are asked for', async () => {
    const { process, directory } = await indexed(later);
    const asking = process();
    await asking.library.current({ fresh: true });
    expect(asking.done.scans).toBe(1);
    for (const text of ['', '{}', 'null', '{"generation":"1","key":"these folders","at":"now"}']) {
      writeWhole(directory, 'last-check.json', new TextEncoder().encode(text));
      const { search, done } = process();
      await search('pdf');
      expect(done.scans).toBe(1);
    }
  });

  it('is looked at where a folder was added to its root, or a skill of the answer has changed', async () => {
    const written = Date.now();
    const { root, process } = await indexed(Date.now);
    // A change counts from a second before the look.
    await expect.poll(() => Date.now() - written, { timeout: 10_000 }).toBeGreaterThan(1_500);
    const second = process({ key: 'again' });
    await second.search('pdf');
    const at = (...path: string[]) => join(root, ...path);
    const changes: Record<string, () => void> = {
      pdf: () => writeFileSync(at('pdf/references/one.md'), 'Other.'),
      csv: () => writeFileSync(at('csv/references/three.md'), 'Three.'),
      sql: () => rmSync(at('sql/references/two.md')),
      tea: () => {
        writeFileSync(at('tea/SKILL.md'), skill('tea', 'All about green tea'));
        utimesSync(at('tea/SKILL.md'), new Date(0), new Date(0));
      },
    };
    const confirms = async (name: string, change: () => void) => {
      const { search, library, done } = process({ key: 'again' });
      const entries = (await search(name)).filter(({ id }) => id === name);
      expect([name, done.scans, await library.confirm(entries)]).toEqual([name, 0, true]);
      change();
      expect([name, await library.confirm(entries)]).toEqual([name, false]);
      await library.close();
    };
    for (const [name, change] of Object.entries(changes)) await confirms(name, change);
    const kept = process({ key: 'again' });
    expect((await kept.search('kiln'))[0]?.id).toBe('kiln');
    expect(kept.done.scans).toBe(0);
    await kept.library.close();
    // A hit that is gone is noticed by the search itself, so this comes last.
    await confirms('git', () => rmSync(at('git/SKILL.md')));
    add(root, { 'ale/SKILL.md': skill('ale', 'All about ale') });
    const last = process({ key: 'again' });
    expect((await last.search('ale'))[0]?.id).toBe('ale');
    expect(last.done.scans).toBe(1);
  });
});
