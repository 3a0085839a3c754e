/**
 * How hard two skills are to tell apart by name and description, which is all that an agent sees before it loads one.
 *
 * The cosine of the two cards alone also finds siblings that differ in the one word that matters. So two skills are apart where
 * each has a subject of its own, where one is the special case of the other by its name, and where one description says what it
 * leaves to the other. Judged pairs: `npm run bench -- collisions`, `bench/TRIED.md`.
 */

import { LRUCache } from 'lru-cache';
import { analyze, termsOf } from '../../index/lexical/analysis/analyzer.ts';
import { dot } from '../../index/vectors/float.ts';
import type { Reader } from '../../src/app/extension-api.ts';
import { NOT_FOR } from '../../src/search/passages/card.ts';
import { entryAt } from '../../src/search/search.ts';
import { isEnglish, isGeneral } from './words.ts';

/** From this closeness two skills count as a collision; with the shipped model. */
export const COLLIDES = 0.82;
/** What lowers the cosine where only one of the two has a subject of its own. */
const ONE_SIDED = 0.1;
/** How often a description must say a name (`Discord`) that is its subject. */
const SUBJECT = 2;
/** Cards kept in memory, about 4 KB each. */
const KEPT = 50_000;

export interface Closeness {
  /** Cosine of the two cards, −1 to 1. */
  readonly similarity: number;
  /** The cosine less what tells them apart, −1 where something does for sure; from `COLLIDES` they collide. */
  readonly closeness: number;
}

/** What an agent reads of a skill. */
interface Card {
  /** Lower case. */
  readonly name: string;
  readonly description: string;
  /** Whether it can be compared: in other languages, near vectors say little. */
  readonly isEnglish: boolean;
  /** Words of the name, and terms of those that say something. */
  readonly words: readonly string[];
  readonly own: readonly string[];
  /** Names that the description says several times. */
  readonly subjects: readonly string[];
  /** Terms of name and description, without what the skill is not for, and of what it is not for. */
  readonly all: ReadonlySet<string>;
  readonly not: ReadonlySet<string>;
  readonly vector: Float32Array;
}

export class TellApart {
  readonly #reader: Reader;
  readonly #cards = new LRUCache<number, Card>({ max: KEPT });

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  of(a: number, b: number): Closeness {
    const [first, second] = [this.#card(a), this.#card(b)];
    const similarity = dot(first.vector, second.vector);
    const ways = [
      [first, second],
      [second, first],
    ] as const;
    const named = ways.filter(([one, other]) => one.own.some((term) => !other.all.has(term))).length;
    const isApart =
      !(first.isEnglish && second.isEnglish) ||
      named === 2 ||
      ways.every(([one, other]) => one.subjects.some((term) => !other.all.has(term))) ||
      ways.some(([one, other]) => isSpecial(one, other) || leavesTo(one, other));
    return { similarity, closeness: isApart ? -1 : similarity - named * ONE_SIDED };
  }

  #card(ordinal: number): Card {
    const known = this.#cards.get(ordinal) ?? readCard(this.#reader, ordinal);
    this.#cards.set(ordinal, known);
    return known;
  }
}

function readCard(reader: Reader, ordinal: number): Card {
  const { name, description } = entryAt(reader, ordinal);
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const said = words.flatMap((word) => termsOf(word));
  // `pua-on` and `pua-off`.
  const small = words.filter((word) => termsOf(word).length === 0);
  return {
    name: name.toLowerCase(),
    description: description.toLowerCase(),
    isEnglish: isEnglish(description),
    words,
    own: [...said.filter((term) => !isGeneral(term)), ...small],
    subjects: findSubjects(description),
    all: new Set([...said, ...small, ...termsOf(description.replace(NOT_FOR, ' '))]),
    not: new Set([...description.matchAll(NOT_FOR)].flatMap(([clause]) => termsOf(clause))),
    vector: reader.passages.cardVector(ordinal),
  };
}

function findSubjects(description: string): string[] {
  const times = new Map<string, number>();
  for (const { term, from, to } of analyze(description))
    if (/\p{Lu}/u.test(description.slice(from, to)) && !isGeneral(term))
      times.set(term, (times.get(term) ?? 0) + 1);
  return [...times].flatMap(([term, said]) => (said >= SUBJECT ? [term] : []));
}

/** Whether the name of one is that of the other with more words: an agent takes the special one for its case. */
const isSpecial = ({ words }: Card, { words: others }: Card) =>
  words.length > others.length && others.length > 0 && others.every((word) => words.includes(word));

/** What comes before a name that a description points at. */
const POINTER = /(?:\b(?:see|use|prefer|try|load|call|run)(?: the)?|[→:`])\s*[`"']?$/;

/** Whether a description names the other skill, or says that it is not for what the other's name says and its own part does not. */
function leavesTo({ description, all, not }: Card, { name, own }: Card): boolean {
  if (/[-_]/.test(name) && description.includes(name)) return true;
  if (own.some((term) => not.has(term) && !all.has(term))) return true;
  // A name of one word, or with spaces, may be any word of a sentence, and the end of a long one too: only what points at it counts.
  const parts = name.split('-');
  return [name, name.replaceAll('-', ' '), ...(parts.length > 2 ? [parts.slice(-2).join('-')] : [])].some(
    (each) => {
      for (let at = description.indexOf(each); at !== -1; at = description.indexOf(each, at + 1))
        if (
          POINTER.test(description.slice(Math.max(0, at - 20), at)) &&
          !/^[\p{L}\p{N}-]/u.test(description.slice(at + each.length))
        )
          return true;
      return false;
    },
  );
}
