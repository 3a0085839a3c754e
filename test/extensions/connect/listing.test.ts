import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHost, HOSTS } from '../../../extensions/connect/hosts.ts';
import { computeListing, WINDOW_TOKENS } from '../../../extensions/connect/listing.ts';
import { madeSkills } from '../../real-hosts/skills.ts';

const skills = (count: number, length: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `skill-${String(at).padStart(3, '0')}`,
    description: 'd'.repeat(length),
  }));
const of = (id: string) => findHost(id)!.listing;

/**
 * Characters that the hosts' own programs sent for the made skills, and how many of them were whole, by name alone or absent.
 * Recorded from their requests to a scripted model on 27 November 2026.
 */
const RECORDED: readonly (readonly [string, number, number, number, number, number])[] = [
  ['claude-code', 1_000_000, 40, 17_022, 0, 0],
  ['claude-code', 1_000_000, 100, 23_646, 46, 0],
  ['claude-code', 1_000_000, 330, 23_709, 289, 0],
  ['codex', 500_000, 40, 18_522, 0, 0],
  ['codex', 500_000, 100, 37_509, 0, 0],
  ['codex', 500_000, 330, 38_032, 0, 0],
  ['gemini-cli', 200_000, 40, 22_762, 0, 0],
  ['gemini-cli', 200_000, 100, 56_111, 0, 0],
  ['gemini-cli', 200_000, 330, 185_633, 0, 0],
  ['opencode', 200_000, 40, 23_122, 0, 0],
  ['copilot-cli', 200_000, 40, 15_015, 0, 12],
  ['copilot-cli', 200_000, 100, 14_859, 0, 73],
  ['copilot-cli', 200_000, 330, 14_886, 0, 305],
  ['cline', 200_000, 40, 740, 0, 0],
  ['cline', 200_000, 100, 1_856, 0, 0],
  ['cline', 200_000, 330, 6_114, 0, 0],
  ['droid', 200_000, 40, 9_705, 19, 0],
  ['droid', 200_000, 330, 9_698, 322, 0],
];

/** Where the skills were in the recorded home. */
const FOLDERS: Readonly<Record<string, string>> = {
  'gemini-cli': '/home/tester/.gemini/skills',
  opencode: '/home/tester/.config/opencode/skills',
};

it.each(RECORDED)(
  '%s at %i tokens: the list of %i skills is within 2 %% of the recorded request',
  (id, windowTokens, count, characters, bare, absent) => {
    const all = madeSkills(count).map((skill) => ({
      ...skill,
      file: `${FOLDERS[id]}/${skill.name}/SKILL.md`,
    }));
    // What repeats the names elsewhere was recorded apart.
    const { again: _, rest: __, ...listing } = of(id);
    const report = computeListing(all, listing, { windowTokens });
    expect(Math.abs(report.characters / characters - 1)).toBeLessThan(0.02);
    // Cline shows names alone.
    if (id !== 'cline') expect(report.withoutDescription).toHaveLength(bare);
    expect(report.omitted).toHaveLength(absent);
  },
);

describe('Claude Code', () => {
  it('drops the descriptions of the skills used least, and keeps every name', () => {
    // 8,000 less 6,052 for bundled skills and 7 + 18 for two more names leave 1,923. 40 names take 40 × (9 + 3), which leaves
    // 1,443: 14 descriptions of 98 characters and 2 around them.
    const usage = new Map([
      ['skill-039', 9],
      ['skill-038', 1],
    ]);
    const { withoutDescription, omitted } = computeListing(skills(40, 98), of('claude-code'), { usage });
    expect(omitted).toEqual([]);
    expect(withoutDescription).toHaveLength(26);
    expect(withoutDescription[0]).toBe('skill-012');
    expect(withoutDescription.at(-1)).toBe('skill-037');
  });

  it('cuts a description at 1,536 characters, counts wide ones twice, appends when to use it', () => {
    const one = (description: string, whenToUse?: string) =>
      computeListing([{ name: 'a', description, ...(whenToUse && { whenToUse }) }], of('claude-code'), {
        windowTokens: 1_000_000,
      });
    // "- a: ", and a line break.
    expect(one('d'.repeat(9_000)).characters).toBe(1_536 + 6);
    expect(one('d', 'w').characters).toBe('- a: d - w\n'.length);
    const wide = skills(20, 700).map((skill) => ({ ...skill, description: '说'.repeat(700) }));
    // 30,000 − 6,077 − 20 × 12 leave 23,683: 16 of 1,402 columns.
    expect(
      computeListing(wide, of('claude-code'), { windowTokens: 1_000_000 }).withoutDescription,
    ).toHaveLength(4);
  });

  it('keeps a shorter description after one that does not fit', () => {
    const all = [
      { name: 'a', description: 'd'.repeat(1_500) },
      { name: 'b', description: 'd'.repeat(1_500) },
      { name: 'c', description: 'd'.repeat(100) },
    ];
    expect(computeListing(all, of('claude-code')).withoutDescription).toEqual(['b']);
  });
});

it('skills that a host does not load are counted', () => {
  const one = { name: 'a', description: 'd'.repeat(1_025) };
  expect(computeListing([one], of('copilot-cli')).refused).toEqual(['a']);
  expect(
    computeListing([{ ...one, description: 'd', hasListOfHints: true }], of('copilot-cli')).refused,
  ).toEqual(['a']);
  expect(computeListing([{ ...one, isRepaired: true }], of('cline'))).toMatchObject({
    refused: ['a'],
    characters: 0,
  });
  expect(computeListing([{ ...one, isRepaired: true }], of('pi')).refused).toEqual(['a']);
  expect(computeListing([one], of('opencode')).refused).toEqual([]);
});

it('Qwen Code shows the first line of a description, Droid names alone from 15,000 characters on', () => {
  const lines = computeListing([{ name: 'a', description: 'One.\nTwo.' }], of('qwen-code'));
  expect(lines.characters).toBe(
    computeListing([{ name: 'a', description: 'One.' }], of('qwen-code')).characters,
  );
  // 330 names take 330 × (9 + 1) = 3,300, its own skills 5,275; 6,425 are left for descriptions of 500 and 2 before them: 12.
  expect(computeListing(skills(330, 500), of('droid')).withoutDescription).toHaveLength(330 - 12);
});

it('Copilot CLI names the skills that do not fit, up to 5,000 characters', () => {
  const { characters, omitted } = computeListing(skills(330, 500), of('copilot-cli'));
  expect(omitted.length).toBeGreaterThan(290);
  expect(characters).toBeGreaterThan(18_000);
  expect(characters).toBeLessThan(15_000 + 5_000 + 20);
});

it('never keeps more than the limit, and loses nothing where there is none', () => {
  const anySkills = fc.array(
    fc.record({
      name: fc.string({ minLength: 1, maxLength: 30 }),
      description: fc.string({ maxLength: 2_000 }),
    }),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(anySkills, fc.constantFrom(...HOSTS), (all, { listing }) => {
      const report = computeListing(all, listing);
      expect(report.skills).toBe(all.length);
      if (listing.limit === null) expect(report.omitted).toEqual([]);
      else if (report.omitted.length > 0 && listing.rest === undefined && listing.size === undefined)
        expect(report.characters).toBeLessThanOrEqual(listing.limit(WINDOW_TOKENS));
      expect(computeListing([], listing)).toMatchObject({ omitted: [], withoutDescription: [], refused: [] });
    }),
  );
});
