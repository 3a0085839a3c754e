/**
 * Which candidates count as one skill, which of them is shown, and where the others are: identical files, nearly the same
 * text, or translations of one skill. Translations are known by their ids, the same path but for a folder named after a
 * language, as `docs/zh-CN/skills/pdf` and `skills/pdf`: their texts share too few words for the fingerprints.
 */

import type { Reader } from '../../index/reader/reader.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import { languagesOf } from './language.ts';
import { LANGUAGE_FACET } from './passages/languages.ts';

/** A skill that is identical to another one. */
export interface Copy {
  readonly id: string;
  readonly source: string;
}

/** Rank of each source by name, from 0. A source that is not named comes last. */
export type Precedence = ReadonlyMap<string, number>;

export interface Copies {
  /** The candidate to show. */
  readonly leader: number;
  /** Candidates identical to it, in the order of their sources. */
  readonly copies: readonly number[];
  /** The other candidates of the group, in their order. */
  readonly twins: readonly number[];
}

/** Scores of the same text differ by less than this, whatever segment it is in: 1/50 of the score range. */
const SAME_SCORE = 0.02;

interface SkillReader {
  /** Entries are read only if the fingerprints are equal and the scores nearly so. */
  readonly areIdentical: (a: number, b: number) => boolean;
  readonly entry: (candidate: number) => CatalogEntry;
}

/** Which candidates count as one skill. Arguments are positions of candidates. */
export interface Similarity {
  /** Near-identical or identical. */
  readonly areTwins: (a: number, b: number) => boolean;
  readonly areTranslations: (a: number, b: number) => boolean;
  readonly identical: SkillReader;
}

export function similarityOf(reader: Reader, ordinals: Uint32Array, scores: Float32Array): Similarity {
  const prints = reader.fingerprints(ordinals);
  const entry = (at: number) => reader.payload(ordinals[at]!) as CatalogEntry;
  const areIdentical = (a: number, b: number) =>
    Math.abs(scores[a]! - scores[b]!) <= SAME_SCORE &&
    prints.areEqual(a, b) &&
    entry(a).digest === entry(b).digest;
  const keys = Array.from(ordinals, (ordinal) => reader.key(ordinal));
  const names = keys.map((key) => key.slice(1 + Math.max(key.lastIndexOf('/'), key.lastIndexOf(':'))));
  /** Read from a few facets, and seldom. */
  const languageAt = (at: number) =>
    languagesOf(reader).find(
      ({ language }) => reader.accept([[LANGUAGE_FACET + language]])[ordinals[at]!] === 1,
    )?.language;
  return {
    areTranslations: (a, b) =>
      names[a] === names[b] &&
      areTranslations(pathOf(keys[a]!), pathOf(keys[b]!), () => languageAt(a) !== languageAt(b)),
    areTwins: (a, b) =>
      (prints.areSimilar(a, b, TWIN_SIMILARITY) && !haveOwnSubjects(entry(a), entry(b))) ||
      areIdentical(a, b),
    identical: { areIdentical, entry },
  };
}

type Described = Pick<CatalogEntry, 'name' | 'description'>;

/**
 * Whether two texts of nearly the same words are about different things, as skills made from one template are: each name has a
 * word that the other skill's name and description lack, and each description has one that the other's lacks.
 */
export function haveOwnSubjects(a: Described, b: Described): boolean {
  if (a.name === b.name || a.description === b.description) return false;
  const [nameA, nameB, textB] = [wordsIn(a.name), wordsIn(b.name), wordsIn(b.description)];
  if (!hasOwnWord(nameA, nameB, textB)) return false;
  const textA = wordsIn(a.description);
  return hasOwnWord(nameB, nameA, textA) && hasOwnWord(textA, textB) && hasOwnWord(textB, textA);
}

/** Lower case, of two letters and more, without a plural's s. */
const wordsIn = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]{2,}/gu)
      ?.map((word) => (word.length > 2 && word.endsWith('s') ? word.slice(0, -1) : word)),
  );

const hasOwnWord = (words: ReadonlySet<string>, ...others: readonly ReadonlySet<string>[]) =>
  [...words].some((word) => !others.some((texts) => texts.has(word)));

/**
 * The group with its best-maintained skill in front: of the near-identical ones that rank as high as the leader, one that is not
 * suspicious, that keeps the specification, and that has the most references and scripts. Translations never lead.
 */
export function preferBetterMaintained(
  group: { readonly leader: number; readonly twins: readonly number[] },
  scores: Float32Array,
  skills: Pick<SkillReader, 'entry'>,
  areTwins: (a: number, b: number) => boolean,
): { readonly leader: number; readonly twins: readonly number[] } {
  const { leader, twins } = group;
  const equals = twins.filter(
    (twin) => scores[leader]! - scores[twin]! <= SAME_SCORE && areTwins(leader, twin),
  );
  const best = equals.reduce(
    (a, b) => (isBetterMaintained(skills.entry(b), skills.entry(a)) ? b : a),
    leader,
  );
  return best === leader
    ? group
    : { leader: best, twins: [leader, ...twins.filter((twin) => twin !== best)] };
}

function isBetterMaintained(a: CatalogEntry, b: CatalogEntry): boolean {
  const qualities = ({ marks = [], strict, references = [], scripts = [] }: CatalogEntry) => [
    marks.length === 0 ? 1 : 0,
    strict ? 1 : 0,
    references.length + scripts.length,
  ];
  const others = qualities(b);
  const [difference = 0] = qualities(a)
    .map((quality, at) => quality - others[at]!)
    .filter((each) => each !== 0);
  return difference > 0;
}

/**
 * Splits a group into identical skills and others. Of the leader and its copies, the one with the first source
 * leads; equal ones keep their order.
 */
export function separateCopies(
  { leader, twins }: { readonly leader: number; readonly twins: readonly number[] },
  isSame: (a: number, b: number) => boolean,
  placeOf: (candidate: number) => number,
): Copies {
  const same = twins.filter((twin) => isSame(leader, twin));
  if (same.length === 0) return { leader, copies: [], twins };
  const [first = leader, ...copies] = [leader, ...same]
    .map((candidate) => ({ candidate, place: placeOf(candidate) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ candidate }) => candidate);
  return { leader: first, copies, twins: twins.filter((twin) => !same.includes(twin)) };
}

export const precedenceOf = (precedence: Precedence | undefined, { source }: CatalogEntry) =>
  precedence?.get(source) ?? Number.POSITIVE_INFINITY;

/**
 * The skills identical to `entry`, those of one source by id, as `resolve` gives them. They share its name, so they are found
 * without a scan.
 */
export function copiesOf(reader: Reader, entry: CatalogEntry, precedence?: Precedence): Copy[] {
  return reader
    .resolve(entry.name)
    .map((ordinal) => reader.payload(ordinal) as CatalogEntry)
    .filter(({ id, digest }) => id !== entry.id && digest === entry.digest)
    .toSorted((a, b) => precedenceOf(precedence, a) - precedenceOf(precedence, b))
    .map(({ id, source }) => ({ id, source }));
}

/** A group of near-identical candidates: the best one and the others. Numbers are candidates. */
export interface Folded {
  readonly leader: number;
  readonly twins: readonly number[];
}

/**
 * Estimated share of common body words from which two skills count as near-identical. In the public catalog, pairs
 * above it are the same text with edits of a line or a name, or siblings made from one template, which `haveOwnSubjects` tells.
 */
export const TWIN_SIMILARITY = 0.9;

/**
 * Walks down the ranking: each candidate joins the first leader that it resembles, or whose group holds a translation of
 * it, else becomes a leader. After `wanted` leaders, the rest can only join. `more` is true if another leader would follow.
 */
export function collapse(
  order: readonly number[],
  wanted: number,
  areTwins: (a: number, b: number) => boolean,
  areTranslations: (a: number, b: number) => boolean = () => false,
): { folded: Folded[]; more: boolean } {
  const leaders: { leader: number; twins: number[] }[] = [];
  let more = false;
  // A mirror holds translations of its own copy, which is a twin of the leader.
  const belongs = ({ leader, twins }: Folded, candidate: number) =>
    areTwins(leader, candidate) ||
    areTranslations(leader, candidate) ||
    twins.some((member) => areTranslations(member, candidate));
  for (const candidate of order) {
    let group = 0;
    while (group < leaders.length && !belongs(leaders[group]!, candidate)) group += 1;
    if (group < leaders.length) leaders[group]!.twins.push(candidate);
    else if (leaders.length < wanted) leaders.push({ leader: candidate, twins: [] });
    else more = true;
  }
  return { folded: leaders, more };
}

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
