/** What agents read about languages: in which to write a query, and why one in another language found nothing. */

import type { CatalogSummary } from '../gateway/gateway.ts';
import type { ForeignLanguage } from '../search/language.ts';

/** `de` → `German`. Nearly every catalog is in English, and the tables of Intl take a twentieth of a cold start. */
const nameOf = (language: string) =>
  language === 'en'
    ? 'English'
    : (new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language);

/** `Write the query in English: 97 % of these skills are.`; empty where the catalog's language is not known. */
export function queryLanguage({ languages }: Pick<CatalogSummary, 'languages'>): string {
  if (languages.length === 0) return '';
  const names = listed(languages.map(({ language }) => nameOf(language)));
  const shares = languages.map(({ percent }) => `${percent} %`).join(' and ');
  return `Write the query in ${names}: ${shares} of these skills are.`;
}

/** Why nothing fits a query in a language that the catalog hardly has, and what to do. */
export function foreignHint({ language, catalog }: ForeignLanguage): string {
  const names = listed(catalog.map((one) => nameOf(one.language)));
  return `The query is in ${nameOf(language)}, but the skills are in ${names}: search again in ${names}.`;
}

const listed = (names: readonly string[]) => names.join(' or ');
