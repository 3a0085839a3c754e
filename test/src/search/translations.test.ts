import { describe, expect, it } from 'vitest';
import { collapse } from '../../../src/search/collapse.ts';
import { preferBetterMaintained } from '../../../src/search/copies.ts';
import { areTranslations, pathOf } from '../../../src/search/translations.ts';

const are = (a: string, b: string, differ = false) => areTranslations(pathOf(a), pathOf(b), () => differ);

describe('areTranslations', () => {
  it('compares paths without languages and the folders around them', () => {
    expect(are('repo/skills/pdf', 'repo/docs/zh-CN/skills/pdf')).toBe(true);
    expect(are('repo/skills/pdf', 'repo/skills-i18n/zh/pdf')).toBe(true);
    expect(are('repo/docs/ja-JP/skills/pdf', 'repo/docs/es/skills/pdf')).toBe(true);
  });

  it('asks for the languages of the texts where a short name may be a country or a department', () => {
    expect(are('repo/skills/hr/onboarding', 'repo/skills/it/onboarding')).toBe(false);
    expect(are('repo/tax/vat-return', 'repo/tax/de/vat-return')).toBe(false);
    expect(are('repo/skills/pdf', 'repo/skills/es/pdf', true)).toBe(true);
    expect(are('repo/skills/pdf', 'repo/skills/forms', true)).toBe(false);
  });

  it('keeps skills apart that only share a name', () => {
    expect(are('repo/skills/pdf', 'other/docs/zh-CN/skills/pdf')).toBe(false);
    expect(are('repo/skills/pdf', 'repo/docs/pdf')).toBe(false);
    expect(are('repo/go/pdf', 'repo/js/pdf')).toBe(false);
  });
});

describe('collapse', () => {
  it('takes a translation of any member of a group into the group', () => {
    // 1 is a copy of 0; 2 is a translation of 1 only.
    const twins = (a: number, b: number) => a === 0 && b === 1;
    const translated = (a: number, b: number) => a === 1 && b === 2;
    const { folded } = collapse([0, 1, 2, 3], 5, twins, translated);
    expect(folded).toEqual([
      { leader: 0, twins: [1, 2] },
      { leader: 3, twins: [] },
    ]);
  });
});

describe('preferBetterMaintained', () => {
  const entry = (strict: boolean, references: number, marked = false) =>
    ({
      strict,
      references: Array.from({ length: references }, (_, at) => `references/${at}.md`),
      scripts: [],
      ...(marked && { marks: [{}] }),
    }) as never;
  const leaderOf = (entries: readonly never[], scores: number[]) =>
    preferBetterMaintained(
      { leader: 0, twins: entries.slice(1).map((_, at) => at + 1) },
      Float32Array.from(scores),
      { entry: (at) => entries[at]! },
      () => true,
    ).leader;

  it('prefers no suspicion, then the specification, then more files, then the rank', () => {
    expect(leaderOf([entry(true, 9, true), entry(false, 0)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([entry(false, 9), entry(true, 0)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([entry(true, 1), entry(true, 2)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([entry(true, 1), entry(true, 1)], [0.5, 0.5])).toBe(0);
  });

  it('never prefers one that ranks clearly lower', () => {
    expect(leaderOf([entry(false, 0), entry(true, 9)], [0.5, 0.4])).toBe(0);
  });
});
