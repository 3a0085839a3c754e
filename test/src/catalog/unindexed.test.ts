import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gatewaysFor } from '../../../src/gateway/pipeline.ts';
import { compilePolicy } from '../../../src/gateway/policy/policy.ts';
import { LOCAL } from '../../../src/gateway/policy/principal.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';
import { add } from '../sources/scan/tree.ts';

const TWO = {
  'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'csv/SKILL.md': skill('csv', 'Clean messy tables'),
};
const NEW = {
  'sql/SKILL.md': skill('sql', 'Tune queries'),
  'deep/er/git/SKILL.md': skill('git', 'Bisect history'),
  'folder/SKILL.md': skill('other-name', 'Brew tea'),
  'one/twin/SKILL.md': skill('twin', 'Twin of two'),
  'two/twin/SKILL.md': skill('twin', 'Other twin'),
};

/** Skills were added while no server ran, and the check of the folders by this one does not end. */
async function whileIndexing(options: { readonly qualifyIds?: boolean } = {}) {
  const before = testLibrary(TWO, options);
  await before.library.update();
  add(before.root, NEW);
  let scans = 0;
  // The first scan is the check's.
  const gate = () => (++scans === 1 ? new Promise<void>(() => {}) : Promise.resolve());
  return testLibrary(before.root, { ...options, directory: before.directory, patienceMs: 1, gate });
}

describe('while the folders are being indexed', () => {
  it.each([
    ['sql', 'sql'],
    ['deep/er/git', 'deep/er/git'],
    ['git', 'deep/er/git'],
    ['er/git', 'deep/er/git'],
    ['library:sql', 'library:sql'],
    ['other-name', 'folder'],
    ['skill://library/sql/SKILL.md', 'sql'],
    ['one/twin', 'one/twin'],
  ])('a new skill is loaded by %s', async (name, id) => {
    const { gateway } = await whileIndexing();
    expect((await gateway.load({ skill: name, query: 'tea' })).entry.id).toBe(id);
    expect((await gateway.find({ skill: name })).entry.id).toBe(id);
    expect(await gateway.read({ skill: name, path: 'SKILL.md' })).toMatchObject({ kind: 'text' });
  });

  it('a new skill is served by its address', async () => {
    const { gateway } = await whileIndexing();
    const uri = 'skill://library/deep/er/git/SKILL.md';
    expect((await gateway.publishableAt(uri))?.entry.uri).toBe(uri);
  });

  it('a name of several new skills is ambiguous, and an unknown one is unknown for now', async () => {
    const { gateway } = await whileIndexing();
    await expect(gateway.load({ skill: 'twin' })).rejects.toMatchObject({ code: 'SKILL_AMBIGUOUS' });
    for (const skill of ['none', '../pdf', 'deep/er', `${'a/'.repeat(400)}b`])
      await expect(gateway.load({ skill })).rejects.toThrow(/There is no skill.*still being checked/);
  });

  it('a new skill that is hidden is unknown, as one that does not exist', async () => {
    const { library } = await whileIndexing({ qualifyIds: true });
    const gateway = gatewaysFor(
      library,
      compilePolicy({
        disabled: [],
        rules: [{ who: ['*'], allow: [{}], deny: [{ skills: ['sql', 'one/**'] }], tools: [], scripts: [] }],
      }),
    )(LOCAL);
    const hidden = await gateway.load({ skill: 'sql' }).catch(String);
    expect(hidden).toBe(String(await gateway.load({ skill: 'nix' }).catch(String)).replace('nix', 'sql'));
    expect((await gateway.load({ skill: 'twin' })).entry.id).toBe('library:two/twin');
  });
});

describe('with a watcher', () => {
  it('a call is answered with what the watcher has seen and not reported yet', async () => {
    const { gateway, find, library, root } = testLibrary(TWO);
    await find('forms');
    let seen: string[] = [];
    library.watcherReady(async () => library.notice(seen));
    await find('forms');
    add(root, NEW);
    seen = [join(root, 'sql')];
    expect((await find('tune queries'))[0]).toBe('sql');
    seen = [join(root, 'deep/er/git')];
    expect((await gateway.load({ skill: 'git' })).entry.id).toBe('deep/er/git');
  });

  it('an unknown name costs no look at the folders where nothing has changed', async () => {
    const { gateway, find, library, done } = testLibrary(TWO);
    await find('forms');
    library.watcherReady();
    await find('forms');
    const { scans } = done;
    await expect(gateway.load({ skill: 'none' })).rejects.toThrow(/There is no skill/);
    expect(done.scans).toBe(scans);
  });

  it('a search that misses waits longer for a known change than others', async () => {
    const { find, library, root } = testLibrary(TWO, {
      patienceMs: 20,
      gate: () => new Promise((resolve) => setTimeout(resolve, 200)),
    });
    await find('forms');
    add(root, NEW);
    library.notice();
    expect((await find('tune queries'))[0]).toBe('sql');
  });
});
