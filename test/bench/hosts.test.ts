import { describe, expect, it } from 'vitest';
import { seenIn } from '../../bench/hosts.ts';
import type { Listing } from '../../src/hosts/hosts.ts';
import { type ListedSkill, listingOf } from '../../src/hosts/listing.ts';

const CATALOG = ['a', 'b', 'c'].map((name) => ({ name, description: 'x'.repeat(9) }));
const [A, , C] = CATALOG as [(typeof CATALOG)[0], unknown, (typeof CATALOG)[0]];

/** Each skill takes 1 for its name and 9 for its description: 30 in all. */
const listing = (budget: number, overflow: Listing['overflow'], mostDescription = 100): Listing => ({
  budget: () => budget,
  mostDescription,
  frame: 0,
  overflow,
  source: '',
});

const seen = (skill: ListedSkill, rules: Listing) => seenIn(skill, listingOf(CATALOG, rules), rules);

describe('what a list shows of a skill', () => {
  it('is the whole description where there is room', () => {
    expect(seen(C, listing(30, 'omitted'))).toBe('whole');
  });

  it('is nothing, its name or a part of it, by what the host cuts', () => {
    expect(seen(A, listing(20, 'omitted'))).toBe('whole');
    expect(seen(C, listing(20, 'omitted'))).toBe('absent');
    expect(seen(C, listing(20, 'descriptions'))).toBe('name');
    // 15 less three names leave 12: four for each description.
    expect(seen(C, listing(15, 'shortened'))).toBe('shortened');
    expect(seen(C, listing(30, 'omitted', 8))).toBe('shortened');
  });
});
