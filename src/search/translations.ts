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
/** Folders around translations, which say nothing about the skill. */
const WRAPPERS = /^(?:\.?(?:docs?|skills?|translations?|locales?|lang|languages?|i18n)|.+-i18n)$/i;

/** What the ids of one skill's translations have in common. */
export interface Path {
  readonly common: string;
  /** Whether the path names a language. */
  readonly named: boolean;
}

export function pathOf(id: string): Path {
  const segments = id.split(/[/:]/);
  const last = segments.pop() ?? '';
  const own = segments.filter((segment) => !isLanguage(segment));
  const common = [...own.filter((segment) => !WRAPPERS.test(segment)), last].join('/');
  return { common, named: own.length < segments.length };
}

export const areTranslations = (a: Path, b: Path) => (a.named || b.named) && a.common === b.common;

/** `zh`, `zh-CN`, `pt_BR`. */
function isLanguage(segment: string): boolean {
  const [, code = ''] = /^([a-z]{2})(?:[-_][A-Za-z]{2,4})?$/.exec(segment) ?? [];
  return LANGUAGES.has(code);
}
