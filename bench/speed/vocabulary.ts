/**
 * Replaces words of a catalog by other words of it. A perturbed copy has another subject, in words as common as the
 * originals: term frequencies and passage lengths of a grown catalog stay realistic.
 */

/** The most common words carry no subject. They stay, so the grammar stays. */
const KEPT_WORDS = 300;
/** Rarer words are typing errors, hashes and names. They stay. */
const MIN_COUNT = 3;
/** Share of the words that a copy replaces. At 0.6, two copies share a fifth of their rarer words. */
const SHARE = 0.6;

const WORD = /[A-Za-z]{4,20}/g;

export interface Vocabulary {
  /** Lower-case words, the most frequent first. */
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
    .filter(([, count]) => count >= MIN_COUNT)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([word]) => word);
  return { words, ranks: new Map(words.map((word, rank) => [word, rank])) };
}

/** `text` with the words that `seed` selects replaced. Equal words get the same replacement. */
export function substituteWords(text: string, { words, ranks }: Vocabulary, seed: number): string {
  return text.replace(WORD, (word) => {
    const rank = ranks.get(word.toLowerCase());
    if (rank === undefined || rank < KEPT_WORDS) return word;
    const draw = hash32(seed, rank);
    if ((draw & 0xffff) / 0x10000 >= SHARE) return word;
    // From the same octave of ranks: as frequent within about a factor of two.
    const from = 2 ** Math.floor(Math.log2(rank));
    const to = Math.min(words.length, 2 * from);
    const other = words[from + (hash32(seed + 1, rank) % (to - from))]!;
    return cased(other, word);
  });
}

/** `word` in the letter case of `like`. */
function cased(word: string, like: string): string {
  if (like === like.toUpperCase()) return word.toUpperCase();
  return like[0] === like[0]!.toUpperCase() ? word[0]!.toUpperCase() + word.slice(1) : word;
}

/** A 32-bit hash of two numbers (the finaliser of MurmurHash3, Appleby, public domain). */
export function hash32(a: number, b: number): number {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ b;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
