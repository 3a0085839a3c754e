import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOSTS, hostOf } from '../../../src/hosts/hosts.ts';
import { listingOf, WINDOW_TOKENS } from '../../../src/hosts/listing.ts';

const skills = (count: number, length: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `skill-${String(at).padStart(3, '0')}`,
    description: 'd'.repeat(length),
  }));
const of = (id: string) => hostOf(id)!.listing;

describe('Claude Code', () => {
  it('drops the descriptions of the skills used least, and keeps every name', () => {
    // 200,000 tokens × 4 × 1 % = 8,000 characters. 100 names take 100 × (9 + 4) = 1,300, which leaves 6,700: 67 descriptions
    // of 100 characters, so 33 lose theirs.
    const used = new Map([
      ['skill-099', 9],
      ['skill-098', 1],
    ]);
    const { withoutDescription, omitted } = listingOf(skills(100, 100), of('claude-code'), used);
    expect(omitted).toEqual([]);
    expect(withoutDescription).toHaveLength(33);
    expect(withoutDescription[0]).toBe('skill-065');
    expect(withoutDescription.at(-1)).toBe('skill-097');
  });

  it('cuts one description at 1,536 characters and shows all where they fit', () => {
    // 9 + 4 + 1,536 = 1,549 characters a skill: five take 7,745 of 8,000.
    expect(listingOf(skills(5, 9_000), of('claude-code')).withoutDescription).toEqual([]);
    expect(listingOf(skills(6, 9_000), of('claude-code')).withoutDescription).toEqual(['skill-005']);
  });
});

describe('Codex', () => {
  // 200,000 × 4 × 2 % = 16,000 characters. Over that, a skill takes its name twice (9 + 9) and 26 around them: 44.
  it('shortens the longest descriptions, and gives them what the short ones leave', () => {
    // 200 skills take 8,800, which leaves 7,200: 36 each, of 100.
    const all = skills(200, 100);
    expect(listingOf(all, of('codex'))).toMatchObject({ shortenedTo: 36, omitted: [] });
    // 100 of 10 characters take 1,000 of it, so the others have 62 each.
    const mixed = all.map((skill, at) => (at % 2 === 0 ? skill : { ...skill, description: 'd'.repeat(10) }));
    expect(listingOf(mixed, of('codex'))).toMatchObject({ shortenedTo: 62, omitted: [] });
  });

  it('leaves skills out where names alone are too much, and never exceeds 2 % of the window', () => {
    // 44 characters a name: 363 names fit 16,000.
    const { omitted, withoutDescription, tokens } = listingOf(skills(1_000, 100), of('codex'));
    expect(withoutDescription).toHaveLength(363);
    expect(omitted).toHaveLength(1_000 - 363);
    expect(omitted[0]).toBe('skill-363');
    // At the estimate of 3.6 characters a token.
    expect(tokens).toBeLessThanOrEqual(Math.ceil(16_000 / 3.6) + 1);
  });

  it('shows all where short paths make room', () => {
    // With long paths 200 × (9 + 60 + 30) = 19,800; with short ones 200 × (44 + 30) = 14,800.
    expect(listingOf(skills(200, 30), of('codex'))).toMatchObject({ shortenedTo: null, omitted: [] });
  });
});

it('Copilot CLI leaves skills out in order of name', () => {
  // 9 + 110 + 100 = 219 characters a skill: 68 fit 15,000.
  const { omitted } = listingOf(skills(70, 100), of('copilot-cli'));
  expect(omitted).toEqual(['skill-068', 'skill-069']);
});

it('never keeps more than the budget, and loses nothing where there is none', () => {
  const anySkills = fc.array(
    fc.record({
      name: fc.string({ minLength: 1, maxLength: 30 }),
      description: fc.string({ maxLength: 2_000 }),
    }),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(anySkills, fc.constantFrom(...HOSTS), (all, { listing }) => {
      const report = listingOf(all, listing);
      expect(report.skills).toBe(all.length);
      if (listing.budget === null) expect([...report.omitted, ...report.withoutDescription]).toEqual([]);
      else if (report.shortenedTo !== null || report.omitted.length > 0)
        expect(report.tokens).toBeLessThanOrEqual(listing.budget(WINDOW_TOKENS));
      expect(listingOf([], listing)).toMatchObject({ tokens: 0, omitted: [], withoutDescription: [] });
    }),
  );
});
