import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { grow } from '../../bench/speed/grow.ts';
import { perturbed } from '../../bench/speed/perturb.ts';
import { substituteWords, vocabularyOf } from '../../bench/speed/vocabulary.ts';
import { parseSkill } from '../../src/skills/parse.ts';
import { plant } from '../src/sources/scan/tree.ts';
import { temporaryFolder } from '../temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** Four hundred words, each three times: the first three hundred are too common to replace. */
const WORDS = Array.from({ length: 400 }, (_, at) => `word${letters(at)}`);
function letters(number: number): string {
  return [...String(number).padStart(4, '0')].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}
const TEXT = `${WORDS.join(' ')} `.repeat(3);
const skillOf = (name: string) =>
  `---\nname: ${name}\ndescription: ${WORDS.slice(350, 370).join(' ')}\n---\n# ${name}\n\n## One\n\n${WORDS.slice(300, 350).join(' ')}\n\n## Two\n\n${WORDS.slice(350).join(' ')}`;

/** Path and content of every file below a folder. */
const contents = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'grown.json')
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => [path.slice(root.length), readFileSync(path, 'utf8')]);

describe('a grown catalog', () => {
  const tree = Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}/SKILL.md`, skillOf(name)]));

  it('has the given sizes, each with one more folder than the size below', async () => {
    const parts = await grow({ skills: [plant(tree)], into: join(folder, 'x'), sizes: [10, 2], seed: 1 });
    expect(parts.map(({ size }) => size)).toEqual([2, 10]);
    expect(parts.map(({ folder: part }) => readdirSync(part).length)).toEqual([2, 8]);
  });

  it('is the same for the same seed and differs for another seed', async () => {
    const skills = [plant(tree)];
    const [a, b, c] = ['a', 'b', 'c'].map((name) => join(folder, name)) as [string, string, string];
    await grow({ skills, into: a, sizes: [9], seed: 1 });
    await grow({ skills, into: b, sizes: [9], seed: 1 });
    await grow({ skills, into: c, sizes: [9], seed: 2 });
    expect(contents(a)).toEqual(contents(b));
    expect(contents(a)).not.toEqual(contents(c));
  });

  it('starts with the unchanged skills', async () => {
    await grow({ skills: [plant(tree)], into: folder, sizes: [3], seed: 1 });
    const texts = contents(folder).map(([, text]) => text);
    expect(texts.sort()).toEqual(Object.values(tree).sort());
  });
});

describe('a perturbed skill', () => {
  const vocabulary = vocabularyOf([TEXT]);
  const copy = perturbed(skillOf('a'), { vocabulary, seed: 7, name: 'another-1' });

  it('has a new name and still parses', () => {
    const skill = parseSkill(Buffer.from(copy), { path: 'SKILL.md', folder: 'another-1' });
    expect(skill.name).toBe('another-1');
    expect(skill.description.split(' ')).toHaveLength(20);
  });

  it('keeps its headings and the number of its words, but not all words', () => {
    const words = (text: string): readonly string[] => text.match(/word[a-j]+/g) ?? [];
    const [before, after] = [words(skillOf('a')), words(copy)];
    expect(after).toHaveLength(before.length);
    const shared = after.filter((word) => before.includes(word)).length;
    expect(shared).toBeLessThan(before.length);
    expect(copy.match(/^## \w+$/gm)?.sort()).toEqual(['## One', '## Two']);
  });
});

describe('substituteWords', () => {
  it('replaces equal words equally, keeps the letter case, and leaves common words', () => {
    const vocabulary = vocabularyOf([TEXT]);
    const rare = WORDS.slice(300);
    const changed = rare.filter((word) => substituteWords(word, vocabulary, 3) !== word);
    expect(changed.length).toBeGreaterThan(0);
    for (const word of changed) {
      const other = substituteWords(word, vocabulary, 3);
      expect(substituteWords(`${word} ${word.toUpperCase()}`, vocabulary, 3)).toBe(
        `${other} ${other.toUpperCase()}`,
      );
    }
    const common = WORDS.slice(0, 300).join(' ');
    expect(substituteWords(common, vocabulary, 3)).toBe(common);
  });
});
