import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { examineSkill } from '../../../src/authoring/check-skill.ts';
import { localSource } from '../../../src/sources/local.ts';
import { readCatalog } from '../../../src/sources/scan/catalog.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const opened = vi.hoisted(() => [] as string[]);
vi.mock(import('../../../src/search/passages/files.ts'), async (original) => {
  const real = await original();
  return {
    ...real,
    readSkillFile(of, path, isOwn) {
      opened.push(path);
      return real.readSkillFile(of, path, isOwn);
    },
  };
});

it('a skill is read once, whatever is checked', async () => {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries({
    'SKILL.md':
      '---\nname: ship\ndescription: Ship packages. Use when an order is paid.\n---\nSee [a](references/a.md) and run `scripts/b.sh`.',
    'references/a.md': 'text',
    'scripts/b.sh': 'echo b',
    'assets/c.txt': 'text',
  })) {
    mkdirSync(dirname(join(root, 'ship', path)), { recursive: true });
    writeFileSync(join(root, 'ship', path), text);
  }
  const [skillFolder] = (await readCatalog([localSource({ name: 'local', root })])).folders;
  opened.length = 0;
  examineSkill(skillFolder!);
  expect(opened.toSorted()).toEqual(['SKILL.md', 'assets/c.txt', 'references/a.md', 'scripts/b.sh']);
});
