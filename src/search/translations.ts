/**
 * Translations of a skill, by their ids: the same path but for a folder named after a language, as `docs/zh-CN/skills/pdf`
 * and `skills/pdf`. Their texts share too few words for the fingerprints.
 */

/** ISO 639-1 codes of languages that skills are translated into. */
const LANGUAGES = new Set(
  (
    'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv sw ta th tr uk ' +
    'ur vi zh'
  ).split(' '),
);
/** Folders of translations. They and `skills` say nothing about the skill. */
const OF_TRANSLATIONS = /^(?:\.?(?:docs?|translations?|locales?|lang|languages?|i18n)|.+-i18n)$/i;
const OF_SKILLS = /^\.?skills?$/i;

/** What the ids of one skill's translations have in common. */
export interface Path {
  readonly common: string;
  /**
   * Whether the path names a language: `perhaps` for a short name that may be that of a country or a department, as in
   * `hr/onboarding` and `de/vat-return`.
   */
  readonly named: 'no' | 'perhaps' | 'surely';
}

export function pathOf(id: string): Path {
  const segments = id.split(/[/:]/);
  const last = segments.pop() ?? '';
  const languages = segments.map((segment, at) => languageIn(segment, segments[at - 1] ?? ''));
  const own = segments.filter(
    (segment, at) => languages[at] === 'no' && !OF_TRANSLATIONS.test(segment) && !OF_SKILLS.test(segment),
  );
  const named = (['surely', 'perhaps'] as const).find((each) => languages.includes(each)) ?? 'no';
  return { common: [...own, last].join('/'), named };
}

/**
 * `differ`: whether the two texts are in different languages, asked only where the paths leave a doubt. Two doubtful ones
 * are not folded: `es/vat` and `de/vat` may both be about a country.
 */
export function areTranslations(a: Path, b: Path, differ: () => boolean): boolean {
  if (a.common !== b.common) return false;
  if (a.named === 'surely' || b.named === 'surely') return true;
  return a.named !== b.named && differ();
}

/** `zh-CN`, `pt_BR`, and in a folder of translations `zh`. */
function languageIn(segment: string, parent: string): Path['named'] {
  const [, code = '', region] = /^([a-z]{2})([-_][A-Za-z]{2,4})?$/.exec(segment) ?? [];
  if (!LANGUAGES.has(code)) return 'no';
  return region !== undefined || OF_TRANSLATIONS.test(parent) ? 'surely' : 'perhaps';
}
