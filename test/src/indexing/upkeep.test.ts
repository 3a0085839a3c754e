import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { diskDirectory, readManifest } from '#index';
import { type Upkeep, type UpkeepSetting, upkeepThread } from '../../../src/indexing/upkeep.ts';
import { add, plant } from '../catalog/tree.ts';
import { skill } from '../gateway/shelf.ts';

const root = resolve(import.meta.dirname, '../../..');
const entry = pathToFileURL(join(root, 'dist/upkeep.js'));

const upkeeps: Upkeep[] = [];
afterEach(() => Promise.all(upkeeps.splice(0).map((upkeep) => upkeep.close())));

function over(tree: Record<string, string>) {
  const skills = plant(tree);
  const indexFolder = plant({});
  const setting: UpkeepSetting = {
    indexFolder,
    embedder: undefined,
    modelsFolder: join(root, 'models'),
    sources: [{ name: 's', root: skills }],
    vectors: 'exact',
    qualifyIds: false,
    threads: 2,
  };
  const upkeep = upkeepThread(entry, setting);
  upkeeps.push(upkeep);
  return { skills, upkeep, directory: diskDirectory(indexFolder) };
}

const TWO = {
  'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'csv/SKILL.md': skill('csv', 'Clean messy tables'),
};

describe('the built upkeep thread', () => {
  it('indexes, then finds nothing to do, then what was added and what went away', async () => {
    const { skills, upkeep, directory } = over(TWO);
    const stages = new Set<string>();
    expect(await upkeep.run(({ stage }) => stages.add(stage))).toMatchObject({ added: 2, skills: 2 });
    expect([...stages]).toContain('read');
    expect(await upkeep.run(() => {})).toBeNull();
    add(skills, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    rmSync(join(skills, 'pdf'), { recursive: true });
    const report = await upkeep.run(() => {});
    expect(report).toMatchObject({ added: 1, removed: 1, kept: 1, skills: 2 });
    expect(readManifest(directory)?.generation).toBe(report?.generation);
  });

  it('lets go of the lock when it is closed in the middle of a run, and runs no more', async () => {
    const many = Array.from({ length: 400 }, (_, at) => [`s${at}/SKILL.md`, skill(`s${at}`, `Do ${at}`)]);
    const { upkeep, directory } = over(Object.fromEntries(many));
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const run = upkeep.run(begin).catch((error: unknown) => error);
    await begun;
    await upkeep.close();
    await run;
    // At once: a lock that was left behind would be held for ten seconds more.
    await (await directory.lock(0))();
    await expect(upkeep.run(() => {})).rejects.toThrow('no longer looked after');
  });

  it('waits for another writer', async () => {
    const { upkeep, directory } = over(TWO);
    const unlock = await directory.lock(0);
    setTimeout(() => void unlock(), 500);
    expect(await upkeep.run(() => {})).toMatchObject({ added: 2 });
  });
});
