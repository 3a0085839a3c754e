/**
 * How hard two skills are to tell apart by name and description, which is all that an agent sees before it loads one.
 *
 * The cosine of the two cards alone also finds siblings that differ in the one word that matters. So it is lowered by what tells
 * them apart: a word of each name that the other never says, a description that names the other skill, and a common pack, whose
 * author split it on purpose. The weights were fitted on pairs of skills that both answer, or do not
 * both answer, the same judged request (`npm run bench -- collisions`, `bench/TRIED.md`).
 */

import { LRUCache } from 'lru-cache';
import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { dot } from '../../index/vectors/dot.ts';
import { entryAt } from '../search/search.ts';

/** From this closeness two skills count as a collision; with the shipped model. */
export const COLLIDES = 0.6;
/** What lowers the cosine, in its unit: times the rarity of the word; for a description that names the other; for a pack. */
const OWN_WORD = 0.164;
const NAMED = 0.28;
const SAME_PACK = 0.16;
/** Least skills of one folder whose names begin alike that are a pack, such as `posthog-…`. */
const PACK = 3;
/** Cards kept in memory, about 4 KB each. */
const KEPT = 50_000;

export interface Closeness {
  /** Cosine of the two cards, −1 to 1. */
  readonly similarity: number;
  /** The cosine less what tells them apart; from `COLLIDES` they collide. */
  readonly closeness: number;
}

/** What an agent reads of a skill. */
interface Card {
  readonly name: string;
  readonly description: string;
  /** Terms of the name, and of name and description. */
  readonly own: readonly string[];
  readonly all: ReadonlySet<string>;
  /** Folder and first word of the name. */
  readonly pack: string;
  readonly vector: Float32Array;
}

/** Reads the cards of all skills once, for the rarity of words; then each comparison costs microseconds. */
export class TellApart {
  readonly #reader: Reader;
  readonly #cards = new LRUCache<number, Card>({ max: KEPT });
  /** Number of skills by term, and by pack. */
  readonly #holders = new Map<string, number>();
  readonly #packs = new Map<string, number>();

  constructor(reader: Reader) {
    this.#reader = reader;
    for (const ordinal of reader.ordinalsByKey()) {
      const { all, pack } = this.#card(ordinal);
      for (const term of all) this.#holders.set(term, (this.#holders.get(term) ?? 0) + 1);
      this.#packs.set(pack, (this.#packs.get(pack) ?? 0) + 1);
    }
  }

  /** Cosine of the two cards, and how hard they are to tell apart: at most the cosine. */
  of(a: number, b: number): Closeness {
    const [first, second] = [this.#card(a), this.#card(b)];
    const similarity = dot(first.vector, second.vector);
    const ownWord = Math.min(this.#rarest(first, second), this.#rarest(second, first));
    const isNamed = names(first, second) || names(second, first);
    const isPack = first.pack === second.pack && this.#packs.get(first.pack)! >= PACK;
    const apart = OWN_WORD * ownWord + (isNamed ? NAMED : 0) + (isPack ? SAME_PACK : 0);
    return { similarity, closeness: similarity - apart };
  }

  #card(ordinal: number): Card {
    const known = this.#cards.get(ordinal) ?? cardOf(this.#reader, ordinal);
    this.#cards.set(ordinal, known);
    return known;
  }

  /** Rarity of the rarest word of the name that the other never says: 0 for none or one that all skills have, 1 for one of one skill. */
  #rarest({ own }: Card, { all }: Card): number {
    const skills = this.#reader.documents;
    let rarest = 0;
    for (const term of own)
      if (!all.has(term))
        rarest = Math.max(rarest, Math.log(1 + skills / this.#holders.get(term)!) / Math.log(1 + skills));
    return rarest;
  }
}

function cardOf(reader: Reader, ordinal: number): Card {
  const { id, name, description } = entryAt(reader, ordinal);
  const own = termsOf(name.replace(/[-_/.:]+/g, ' '));
  const [first = ''] = name.toLowerCase().split(/[-_\s/.:]+/);
  return {
    name: name.toLowerCase(),
    description: description.toLowerCase(),
    own,
    all: new Set([...own, ...termsOf(description)]),
    pack: `${id.slice(0, id.lastIndexOf('/') + 1)} ${first}`,
    vector: reader.passages.cardVector(ordinal),
  };
}

/** Only a name of several words: a single one may be any word. */
const names = ({ description }: Card, { name }: Card) => /[-_ ]/.test(name) && description.includes(name);
