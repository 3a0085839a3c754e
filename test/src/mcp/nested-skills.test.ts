/** Promise: the Skills extension lists the files of nested skills with the outer one's, and every listed file can be read. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { bytesServed, fileAt, SkillPublisher } from '../../../src/mcp/published-skills.ts';
import { hashBytes } from '../../../src/skills/digest.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';
import type { Tree } from '../sources/scan/tree.ts';

const NEST = {
  'nest/outer/SKILL.md': skill('outer', 'Holds another'),
  'nest/outer/top.md': 'top',
  'nest/outer/inner/SKILL.md': skill('inner', 'A skill within'),
  'nest/outer/inner/data.md': 'data',
};

/** What is listed for the skill at a URI, after each file was read at its own URI and had its digest. */
async function listed(gateway: Gateway, uri: string): Promise<string[] | string> {
  const publisher = new SkillPublisher(() => {});
  const published = await publisher.publish((await gateway.publishableAt(uri))!);
  if (typeof published === 'string') return published;
  for (const file of published.files) {
    const holder = (await gateway.publishableAt(file.uri))!;
    const bytes = await bytesServed(holder, fileAt(holder, file.uri)!.path);
    expect([file.uri, `sha256:${hashBytes(bytes)}`, bytes.length]).toEqual([
      file.uri,
      file.digest,
      file.size,
    ]);
  }
  return published.skill.resources === 'dynamic' ? [] : published.skill.resources.map((file) => file.uri);
}

describe('the files of a skill', () => {
  const of = (tree: Tree, uri: string) => listed(testLibrary(tree).gateway, uri);

  it('are also those of the skills in its folder, at any depth', async () => {
    const at = 'skill://library/nest/outer';
    const deep = { ...NEST, 'nest/outer/inner/x/deep/SKILL.md': skill('deep', 'Deeper') };
    const inner = [`${at}/inner/SKILL.md`, `${at}/inner/data.md`];
    const own = [`${at}/SKILL.md`, ...inner, `${at}/top.md`];
    expect(await of(NEST, at)).toEqual(own);
    expect(await of(deep, at)).toEqual(own.toSpliced(3, 0, `${at}/inner/x/deep/SKILL.md`));
    expect(await of(NEST, `${at}/inner`)).toEqual(inner);
  });

  it('are below its own address, also where that is not the folder’s', async () => {
    const tree = { ...NEST, 'nest/outer/SKILL.md': skill('other', 'Called otherwise') };
    for (const at of ['skill://library/nest/outer/-/other', 'skill://other'])
      expect(await of(tree, `${at}/SKILL.md`)).toEqual(
        ['SKILL.md', 'inner/SKILL.md', 'inner/data.md', 'top.md'].map((path) => `${at}/${path}`),
      );
    const renamed = { ...NEST, 'nest/outer/inner/SKILL.md': skill('within', 'Called otherwise') };
    const at = 'skill://library/nest/outer';
    expect(await of(renamed, at)).toEqual(
      ['SKILL.md', 'inner/-/within/SKILL.md', 'inner/-/within/data.md', 'top.md'].map(
        (path) => `${at}/${path}`,
      ),
    );
  });

  it('are all files of the source for a skill at its root', async () => {
    const { gateway, root } = testLibrary({ ...NEST, 'SKILL.md': skill('root', 'At the root') });
    const entry = (await gateway.list({ limit: 9 })).entries.find(({ folder }) => folder === root)!;
    expect(await listed(gateway, entry.uri)).toHaveLength(5);
  });

  it('are published anew after a change of a nested skill', async () => {
    const { gateway, root, library } = testLibrary(NEST);
    const publisher = new SkillPublisher(() => {});
    const resources = async () => {
      const published = await publisher.publish((await gateway.publishableAt('skill://outer'))!);
      return typeof published === 'object' ? JSON.stringify(published.skill.resources) : published;
    };
    const before = await resources();
    writeFileSync(join(root, 'nest/outer/inner/data.md'), 'other');
    await library.update();
    expect(await resources()).not.toBe(before);
  });

  it('count together towards the limits of the extension', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 511 }, (_, at) => [`nest/outer/n${at}/SKILL.md`, skill(`n${at}`, 'One of many')]),
    );
    expect(await of({ ...NEST, ...many }, 'skill://library/nest/outer')).toBe('too-large');
  });
});
