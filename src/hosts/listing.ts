/** What a host's own list of skills costs in every prompt, and what it leaves out, by the host's documented limits. */

import { estimateTokens } from '../gateway/tokens.ts';
import type { Listing } from './hosts.ts';

export interface ListedSkill {
  readonly name: string;
  readonly description: string;
}

export interface ListingReport {
  readonly skills: number;
  /** Tokens of the list in every prompt, estimated. */
  readonly tokens: number;
  /** Names of the skills whose description is not in the list. */
  readonly withoutDescription: readonly string[];
  /** Names of the skills that are not in the list at all. */
  readonly omitted: readonly string[];
  /** Characters to which longer descriptions are cut; null where none is. */
  readonly shortenedTo: number | null;
}

/** The window that limits are shown for, tokens: the smallest that the current models of these hosts have. */
export const WINDOW_TOKENS = 200_000;

/**
 * The list of a host. `usage`: how often each skill was used, by name; among those used equally often the first by name keep
 * their description. Budgets that a host counts in bytes are counted in characters here.
 */
export function listingOf(
  all: readonly ListedSkill[],
  listing: Listing,
  usage: ReadonlyMap<string, number> = new Map(),
): ListingReport {
  const { budget, mostDescription, frame, shortFrame } = listing;
  const skills = all
    .map(({ name, description }) => ({ name, description: description.slice(0, mostDescription) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const limit = budget?.(WINDOW_TOKENS) ?? Number.POSITIVE_INFINITY;
  const whole = { shown: skills, withoutDescription: [], omitted: [], shortenedTo: null };
  const fits = (frameOf: Frame) => sum(skills.map((skill) => fullSize(skill, frameOf))) <= limit;
  const constant = () => frame;
  if (fits(constant)) return reportOf(all.length, whole, constant);
  const frameOf = shortFrame ?? constant;
  if (fits(frameOf)) return reportOf(all.length, whole, frameOf);
  return reportOf(all.length, OVERFLOWS[listing.overflow](skills, limit, frameOf, usage), frameOf);
}

/** Characters around a skill of that name. */
type Frame = (name: string) => number;

interface Cut extends Omit<ListingReport, 'skills' | 'tokens'> {
  readonly shown: readonly ListedSkill[];
}

const bareSize = ({ name }: ListedSkill, frameOf: Frame) => name.length + frameOf(name);
const fullSize = (skill: ListedSkill, frameOf: Frame) => bareSize(skill, frameOf) + skill.description.length;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const namesOf = (skills: readonly ListedSkill[]) => skills.map(({ name }) => name);
const withoutText = (skill: ListedSkill) => ({ ...skill, description: '' });

function reportOf(skills: number, { shown, ...lost }: Cut, frameOf: Frame): ListingReport {
  const text = shown.map(({ name, description }) => `${name}${description}`).join('');
  // The frame is markup, so it is estimated as such.
  const frames = sum(shown.map(({ name }) => frameOf(name)));
  return { skills, tokens: estimateTokens(text) + estimateTokens('x'.repeat(frames)), ...lost };
}

/** What is left of a list over its limit, by what gives way. `skills` in order of name. */
const OVERFLOWS: Readonly<
  Record<
    Listing['overflow'],
    (skills: readonly ListedSkill[], limit: number, frameOf: Frame, usage: ReadonlyMap<string, number>) => Cut
  >
> = {
  omitted(skills, limit, frameOf) {
    let left = limit;
    const end = skills.findIndex((skill) => {
      left -= fullSize(skill, frameOf);
      return left < 0;
    });
    const omitted = namesOf(skills.slice(end));
    return { shown: skills.slice(0, end), omitted, withoutDescription: [], shortenedTo: null };
  },

  shortened(skills, limit, frameOf) {
    const room = limit - sum(skills.map((skill) => bareSize(skill, frameOf)));
    if (room < 0) return bareThatFit(skills, limit, frameOf);
    const to = levelWithin(
      skills.map(({ description }) => description.length),
      room,
    );
    const shown = skills.map(({ name, description }) => ({ name, description: description.slice(0, to) }));
    const cut = skills.filter(({ description }) => description !== '');
    return { shown, omitted: [], shortenedTo: to, withoutDescription: to === 0 ? namesOf(cut) : [] };
  },

  descriptions(skills, limit, frameOf, usage) {
    let left = limit - sum(skills.map((skill) => bareSize(skill, frameOf)));
    const kept = new Set<string>();
    for (const { name, description } of skills.toSorted(
      (a, b) => (usage.get(b.name) ?? 0) - (usage.get(a.name) ?? 0),
    )) {
      left -= description.length;
      if (left < 0) break;
      kept.add(name);
    }
    const shown = skills.map((skill) => (kept.has(skill.name) ? skill : withoutText(skill)));
    const dropped = skills.filter(({ name }) => !kept.has(name));
    return { shown, omitted: [], withoutDescription: namesOf(dropped), shortenedTo: null };
  },
};

/** Names alone, each that still fits: one that does not is left out, and the next may fit. */
function bareThatFit(skills: readonly ListedSkill[], limit: number, frameOf: Frame): Cut {
  let left = limit;
  const fits = skills.map((skill) => {
    const size = bareSize(skill, frameOf);
    if (size > left) return false;
    left -= size;
    return true;
  });
  const shown = skills.filter((_, at) => fits[at]).map(withoutText);
  const omitted = namesOf(skills.filter((_, at) => !fits[at]));
  return { shown, omitted, withoutDescription: namesOf(shown), shortenedTo: null };
}

/** The length to which the longer texts are cut so that all take at most `room`: what short ones leave goes to the others. */
function levelWithin(lengths: readonly number[], room: number): number {
  const ascending = lengths.toSorted((a, b) => a - b);
  let left = room;
  for (const [at, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at));
    if (length > share) return share;
    left -= length;
  }
  return ascending.at(-1) ?? 0;
}
