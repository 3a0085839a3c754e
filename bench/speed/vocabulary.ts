/**
 * Other words for a catalog's own. A copy of a skill is to speak of something else, in words that are as common as
 * those they stand for, so that term frequencies and passage lengths of a grown catalog stay those of a real one.
 */

/** Words so common that they carry no subject: they stay, and so does the grammar. */
const KEPT_WORDS = 300;
/** Words seen fewer times than this are typing errors, hashes and names: they stay. */
const LEAST_COUNT = 3;
/** Share of the words that are replaced in a copy; at 0.6 two copies share a fifth of their rarer words. */
const SHARE = 0.6;

const WORD = /[A-Za-z]{4,20}/g;

export interface Vocabulary {
  /** Words by falling frequency, lower case. */
  readonly words: readonly string[];
  readonly ranks: ReadonlyMap<string, number>;
}

/** Counts the words of `texts`. */
export function vocabularyOf(texts: Iterable<string>): Vocabulary {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const [word] of text.matchAll(WORD)) {
      const key = word.toLowerCase();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const words = [...counts]
    .filter(([, count]) => count >= LEAST_COUNT)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([word]) => word);
  return { words, ranks: new Map(words.map((word, rank) => [word, rank])) };
}

/** `text` with the words that `seed` chooses replaced; the same word always by the same one. */
export function inOtherWords(text: string, { words, ranks }: Vocabulary, seed: number): string {
  return text.replace(WORD, (word) => {
    const rank = ranks.get(word.toLowerCase());
    if (rank === undefined || rank < KEPT_WORDS) return word;
    const chance = mixed(seed, rank);
    if ((chance & 0xffff) / 0x10000 >= SHARE) return word;
    // From the same octave of ranks: as common within a factor of two.
    const from = 2 ** Math.floor(Math.log2(rank));
    const to = Math.min(words.length, 2 * from);
    const other = words[from + (mixed(seed + 1, rank) % (to - from))]!;
    return cased(other, word);
  });
}

/** A word in the letters' case of another. */
function cased(word: string, like: string): string {
  if (like === like.toUpperCase()) return word.toUpperCase();
  return like[0] === like[0]!.toUpperCase() ? word[0]!.toUpperCase() + word.slice(1) : word;
}

/** 32 well-mixed bits of two numbers (the finaliser of MurmurHash3, Appleby, public domain). */
export function mixed(a: number, b: number): number {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ b;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
