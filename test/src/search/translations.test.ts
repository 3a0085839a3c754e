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

  it('does not fold two paths that both leave a doubt, or two that name no language', () => {
    expect(are('repo/es/vat', 'repo/de/vat', true)).toBe(false);
    expect(are('repo/docs/vat', 'repo/skills/vat', true)).toBe(false);
  });

  it('reads the texts only where the paths leave a doubt', () => {
    let asked = 0;
    const differ = () => {
      asked += 1;
      return true;
    };
    const pairs = [
      ['repo/pdf', 'repo/forms'],
      ['repo/pdf', 'repo/docs/zh-CN/pdf'],
      ['repo/es/pdf', 'repo/de/pdf'],
    ] as const;
    for (const [a, b] of pairs) areTranslations(pathOf(a), pathOf(b), differ);
    expect(asked).toBe(0);
    expect(areTranslations(pathOf('repo/es/pdf'), pathOf('repo/pdf'), differ)).toBe(true);
    expect(asked).toBe(1);
  });

  it('keeps skills apart that only share a name', () => {
    expect(are('repo/skills/pdf', 'other/docs/zh-CN/skills/pdf')).toBe(false);
    expect(are('repo/skills/pdf', 'repo/docs/pdf')).toBe(false);
    expect(are('repo/go/pdf', 'repo/js/pdf')).toBe(false);
  });
});

describe('pathOf', () => {
  it.each([
    ['repo/docs/zh-CN/skills/pdf', 'repo/pdf', 'surely'],
    ['repo/pt_BR/pdf', 'repo/pdf', 'surely'],
    ['repo/zh-Hant/pdf', 'repo/pdf', 'surely'],
    ['repo/i18n/zh/pdf', 'repo/pdf', 'surely'],
    ['repo/.translations/zh/pdf', 'repo/pdf', 'surely'],
    ['repo/Locales/zh/pdf', 'repo/pdf', 'surely'],
    ['repo/lang/zh/pdf', 'repo/pdf', 'surely'],
    ['repo/doc/zh/pdf', 'repo/pdf', 'surely'],
    ['my-i18n/zh/pdf', 'pdf', 'surely'],
    ['de/i18n/zh/pdf', 'pdf', 'surely'],
    ['source:zh/pdf', 'source/pdf', 'perhaps'],
    ['repo/zh/pdf', 'repo/pdf', 'perhaps'],
    ['zh/pdf', 'pdf', 'perhaps'],
    ['repo/docs/skills/.skill/pdf', 'repo/pdf', 'no'],
    // A name of the skill is its own, even if it is that of a language or a folder of translations.
    ['repo/zh', 'repo/zh', 'no'],
    ['repo/docs', 'repo/docs', 'no'],
    ['skills', 'skills', 'no'],
    ['', '', 'no'],
    // No languages: other codes, other cases, longer names.
    ['repo/go/pdf', 'repo/go/pdf', 'no'],
    ['repo/ZH/pdf', 'repo/ZH/pdf', 'no'],
    ['repo/zho/pdf', 'repo/zho/pdf', 'no'],
    ['repo/azh/pdf', 'repo/azh/pdf', 'no'],
    ['repo/zh-Latin/pdf', 'repo/zh-Latin/pdf', 'no'],
    ['repo/zh-C/pdf', 'repo/zh-C/pdf', 'no'],
    ['repo/go-CN/pdf', 'repo/go-CN/pdf', 'no'],
    ['repo/-i18n/pdf', 'repo/-i18n/pdf', 'no'],
    ['repo/mydocs/pdf', 'repo/mydocs/pdf', 'no'],
    ['repo/docsite/pdf', 'repo/docsite/pdf', 'no'],
    ['repo/myskills/pdf', 'repo/myskills/pdf', 'no'],
    ['repo/skillset/pdf', 'repo/skillset/pdf', 'no'],
    ['repo/x-i18n-y/pdf', 'repo/x-i18n-y/pdf', 'no'],
  ] as const)('reads %j', (id, common, named) => {
    expect(pathOf(id)).toEqual({ common, named });
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

  it('counts scripts as files, and takes an entry without lists for one without files', () => {
    const scripts = (count: number) =>
      ({ strict: true, scripts: Array.from({ length: count }, String) }) as never;
    expect(leaderOf([entry(true, 1), scripts(2)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([scripts(1), entry(true, 2)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([scripts(2), entry(true, 1)], [0.5, 0.5])).toBe(0);
    const references = { strict: true, references: ['a'] } as never;
    expect(leaderOf([references, scripts(2)], [0.5, 0.5])).toBe(1);
    expect(leaderOf([references, entry(true, 1)], [0.5, 0.5])).toBe(0);
    expect(leaderOf([entry(true, 1), references], [0.5, 0.5])).toBe(0);
  });

  it('prefers the worse skill never, whatever comes later in the order of reasons', () => {
    expect(leaderOf([entry(false, 0), entry(true, 9, true)], [0.5, 0.5])).toBe(0);
    expect(leaderOf([entry(true, 0), entry(false, 9)], [0.5, 0.5])).toBe(0);
  });

  it('keeps the others in the order of the ranking, the former leader first', () => {
    const entries = [entry(true, 0), entry(true, 1), entry(true, 2), entry(true, 1)];
    const group = { leader: 0, twins: [1, 2, 3] };
    const scores = new Float32Array(4).fill(0.5);
    const skills = { entry: (at: number) => entries[at]! };
    const prefer = (areTwins: (a: number, b: number) => boolean) =>
      preferBetterMaintained(group, scores, skills, areTwins);
    expect(prefer(() => true)).toEqual({ leader: 2, twins: [0, 1, 3] });
    // A translation does not lead.
    expect(prefer((_, twin) => twin !== 2)).toEqual({ leader: 1, twins: [0, 2, 3] });
    expect(prefer(() => false)).toEqual(group);
  });

  it('never prefers one that ranks clearly lower', () => {
    expect(leaderOf([entry(false, 0), entry(true, 9)], [0.5, 0.4])).toBe(0);
  });
});
