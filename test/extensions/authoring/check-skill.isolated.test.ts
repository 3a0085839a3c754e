import { expect, it, vi } from 'vitest';
import { examineSkill } from '../../../extensions/authoring/check-skill.ts';
import { localSource } from '../../../src/sources/local.ts';
import { plant } from '../../src/sources/scan/tree.ts';

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
  const root = plant({
    'ship/SKILL.md':
      '---\nname: ship\ndescription: Ship packages. Use when an order is paid.\n---\nSee [a](references/a.md) and run `scripts/b.sh`.',
    'ship/references/a.md': 'text',
    'ship/scripts/b.sh': 'echo b',
    'ship/assets/c.txt': 'text',
  });
  const [skillFolder] = (await localSource({ name: 'local', root }).scan()).folders;
  opened.length = 0;
  examineSkill(skillFolder!);
  expect(opened.toSorted()).toEqual(['SKILL.md', 'assets/c.txt', 'references/a.md', 'scripts/b.sh']);
});
