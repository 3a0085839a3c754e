/**
 * What a host's own list of skills shows, and what it takes of every prompt. The rules of each host are in `hosts.ts`;
 * `listing.test.ts` compares them with what the hosts' own programs sent.
 */

import type { Skill } from '../../src/app/extension-api.ts';
import { estimateTokens } from '../../src/gateway/tokens.ts';

/** A skill as a host finds it. */
export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  /** Its SKILL.md, absolute: some hosts write it into the list. Default: none is known. */
  readonly file?: string;
  readonly whenToUse?: string;
  /** Whether only readers that repair YAML can read its front matter. */
  readonly isRepaired?: boolean;
  readonly hasListOfHints?: boolean;
}

/** What a skill has that some hosts do not load. */
export type Refusal =
  | 'a description of more than 1,024 characters'
  | 'a list as `argument-hint`'
  | 'YAML that needs repair';

/** Faults of YAML that skillgate repairs, and some hosts do not. */
const REPAIRS = new Set(
  ['invalid', 'colon', 'block-text', 'quote', 'continuation', 'tab'].map((fault) => `yaml-${fault}`),
);

export const toListed = ({
  name,
  description,
  frontmatter,
  diagnostics,
}: Pick<Skill, 'name' | 'description' | 'frontmatter' | 'diagnostics'>): ListedSkill => ({
  name,
  description,
  ...(typeof frontmatter.when_to_use === 'string' && { whenToUse: frontmatter.when_to_use }),
  hasListOfHints: Array.isArray(frontmatter['argument-hint']),
  isRepaired: diagnostics.some(({ id }) => REPAIRS.has(id)),
});

/** For hosts whose reader of YAML repairs nothing. */
export const refusesBrokenYaml = ({ isRepaired }: ListedSkill): Refusal | null =>
  isRepaired === true ? 'YAML that needs repair' : null;

/** What a host does with the names and descriptions of skills in every prompt. */
export interface Listing {
  /** One skill as the host writes it, with what separates it from the next. An empty description was dropped. */
  readonly entry: (skill: ListedSkill, description: string) => string;
  /** The host's text for a skill before it is cut. Default: its description. */
  readonly describe?: (skill: ListedSkill) => string;
  /** Most characters of one description. Default: no limit. */
  readonly mostDescription?: number;
  /** Limit of the whole list at a context window of that many tokens, in units of `size`; null where there is none. */
  readonly limit: ((windowTokens: number) => number) | null;
  /** Of an entry, for the limit. Default: characters. */
  readonly size?: (entry: string) => number;
  /** Skills of the host itself, which share the limit. */
  readonly ownSkills?: readonly ListedSkill[];
  /** What other skills of the host, whose entries never give way, take of the limit. */
  readonly taken?: number;
  /**
   * What gives way when the list is full: `descriptions` of the skills used least; the longest descriptions, `shortened` until
   * all fit, and then skills in order of name; or whole skills `omitted` in order of name.
   */
  readonly overflow: 'descriptions' | 'shortened' | 'omitted';
  /** What follows a list that names some skills only. */
  readonly rest?: (names: readonly string[]) => string;
  /** What else repeats the names in every prompt. */
  readonly again?: (names: readonly string[]) => string;
  /** Why the host does not load a skill, as what the skill has; null where it does. Default: it loads all. */
  readonly refuses?: (skill: ListedSkill) => Refusal | null;
}

export interface ListingReport {
  readonly skills: number;
  /** Of the list in every prompt. */
  readonly characters: number;
  /** The same as tokens, estimated. */
  readonly tokens: number;
  /** Names of the skills whose description is not in the list. */
  readonly withoutDescription: readonly string[];
  /** Names of the skills that are not in the list at all. */
  readonly omitted: readonly string[];
  /** Names of the skills that the host does not load. */
  readonly refused: readonly string[];
  /** Characters to which longer descriptions are cut; null where none is. */
  readonly shortenedTo: number | null;
}

/** The context window of most models now, tokens. */
export const WINDOW_TOKENS = 200_000;

interface ListOptions {
  /** Default: `WINDOW_TOKENS`. */
  readonly windowTokens?: number;
  /** How much each skill was used, by name; among those used equally the first by name keep their description. */
  readonly usage?: ReadonlyMap<string, number>;
}

type Sized = (skill: ListedSkill, description: string) => number;

/** What is left of a list over its limit, in order of name: descriptions by name; skills that are left out have none. */
interface Cut {
  readonly shown: ReadonlyMap<string, string>;
  readonly shortenedTo: number | null;
}

const byName = (a: ListedSkill, b: ListedSkill) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** The list of a host for these skills. */
export function computeListing(
  all: readonly ListedSkill[],
  listing: Listing,
  { windowTokens = WINDOW_TOKENS, usage = new Map() }: ListOptions = {},
): ListingReport {
  const { entry, limit, size = (text) => text.length, ownSkills = [], taken = 0 } = listing;
  const loaded = all.filter((skill) => (listing.refuses?.(skill) ?? null) === null);
  const own = new Set(loaded);
  const skills = [...loaded, ...ownSkills]
    .sort(byName)
    .map((skill) => ({ skill, text: textIn(skill, listing), isHosts: !own.has(skill) }));
  const sized: Sized = (skill, description) => size(entry(skill, description));
  const room = (limit?.(windowTokens) ?? Number.POSITIVE_INFINITY) - taken;
  const fits = sum(skills.map(({ skill, text }) => sized(skill, text))) <= room;
  const { shown, shortenedTo } = fits
    ? everything(skills)
    : OVERFLOWS[listing.overflow](skills, room, sized, usage);
  const mine = skills.filter(({ skill }) => own.has(skill));
  const listed = mine.filter(({ skill }) => shown.has(skill.name));
  const omitted = mine.filter(({ skill }) => !shown.has(skill.name)).map(({ skill }) => skill.name);
  const names = mine.map(({ skill }) => skill.name);
  const list = [
    ...listed.map(({ skill }) => entry(skill, shown.get(skill.name) ?? '')),
    omitted.length > 0 ? (listing.rest?.(omitted) ?? '') : '',
    listing.again?.(names) ?? '',
  ].join('');
  return {
    skills: all.length,
    characters: list.length,
    tokens: estimateTokens(list),
    withoutDescription: listed
      .filter(
        ({ skill, text }) => text !== '' && entry(skill, shown.get(skill.name) ?? '') === entry(skill, ''),
      )
      .map(({ skill }) => skill.name),
    omitted,
    refused: all.filter((skill) => !own.has(skill)).map(({ name }) => name),
    shortenedTo,
  };
}

function textIn(
  skill: ListedSkill,
  { describe, mostDescription = Number.POSITIVE_INFINITY }: Listing,
): string {
  const text = (describe?.(skill) ?? skill.description).trim();
  return text.length > mostDescription ? `${text.slice(0, mostDescription - 1)}…` : text;
}

interface Described {
  readonly skill: ListedSkill;
  readonly text: string;
  /** A skill of the host itself. */
  readonly isHosts: boolean;
}

const everything = (skills: readonly Described[]): Cut => ({
  shown: new Map(skills.map(({ skill, text }) => [skill.name, text])),
  shortenedTo: null,
});

const OVERFLOWS: Readonly<
  Record<
    Listing['overflow'],
    (skills: readonly Described[], room: number, sized: Sized, usage: ReadonlyMap<string, number>) => Cut
  >
> = {
  omitted(skills, room, sized) {
    let left = room;
    const end = skills.findIndex(({ skill, text }) => {
      left -= sized(skill, text);
      return left < 0;
    });
    return everything(skills.slice(0, end));
  },

  shortened(skills, room, sized) {
    const at = (length: number) => sum(skills.map(({ skill, text }) => sized(skill, text.slice(0, length))));
    if (at(0) > room) return namesThatFit(skills, room, sized);
    let [low, high] = [0, Math.max(...skills.map(({ text }) => text.length))];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (at(middle) <= room) low = middle;
      else high = middle;
    }
    return {
      shown: new Map(skills.map(({ skill, text }) => [skill.name, text.slice(0, low)])),
      shortenedTo: low,
    };
  },

  descriptions(skills, room, sized, usage) {
    let left = room - sum(skills.map(({ skill }) => sized(skill, '')));
    const uses = ({ skill }: Described) => usage.get(skill.name) ?? 0;
    const shown = new Map(skills.map(({ skill }) => [skill.name, '']));
    for (const { skill, text } of skills.toSorted(
      (a, b) => uses(b) - uses(a) || Number(a.isHosts) - Number(b.isHosts),
    )) {
      const more = sized(skill, text) - sized(skill, '');
      // One that does not fit loses its description, and a shorter one after it may keep it.
      if (more > left) continue;
      left -= more;
      shown.set(skill.name, text);
    }
    return { shown, shortenedTo: null };
  },
};

/** Names alone, each that still fits. */
function namesThatFit(skills: readonly Described[], room: number, sized: Sized): Cut {
  let left = room;
  const fits = skills.filter(({ skill }) => {
    const size = sized(skill, '');
    if (size > left) return false;
    left -= size;
    return true;
  });
  return { shown: new Map(fits.map(({ skill }) => [skill.name, ''])), shortenedTo: null };
}
