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
  /** Characters that are left of a description where all are shortened; null where none is. */
  readonly shortenedTo: number | null;
}

/** The window that limits are shown for, tokens: the smallest that the current models of these hosts have. */
export const WINDOW_TOKENS = 200_000;

/**
 * The list of a host. `usage`: how often each skill was used, by name; among those used equally often the first by name keep
 * their description.
 */
export function listingOf(
  all: readonly ListedSkill[],
  { budget, mostDescription, frame, overflow }: Listing,
  usage: ReadonlyMap<string, number> = new Map(),
): ListingReport {
  const skills = all
    .map(({ name, description }) => ({ name, description: description.slice(0, mostDescription) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const limit = budget?.(WINDOW_TOKENS) ?? Number.POSITIVE_INFINITY;
  const bare = ({ name }: ListedSkill) => name.length + frame;
  const full = (skill: ListedSkill) => bare(skill) + skill.description.length;
  const report = (
    shown: readonly ListedSkill[],
    rest: Pick<ListingReport, 'withoutDescription' | 'omitted' | 'shortenedTo'>,
  ): ListingReport => {
    const text = shown.map(({ name, description }) => `${name}${description}`).join('');
    // The frame is markup, so it is estimated as such.
    const tokens = estimateTokens(text) + estimateTokens('x'.repeat(frame * shown.length));
    return { skills: all.length, tokens, ...rest };
  };
  const nothing = { withoutDescription: [], omitted: [], shortenedTo: null };
  if (sum(skills.map(full)) <= limit) return report(skills, nothing);
  if (overflow === 'omitted') {
    let left = limit;
    const end = skills.findIndex((skill) => {
      left -= full(skill);
      return left < 0;
    });
    return report(skills.slice(0, end), { ...nothing, omitted: skills.slice(end).map(({ name }) => name) });
  }
  if (overflow === 'shortened') {
    const room = limit - sum(skills.map(bare));
    const to = Math.max(0, Math.floor(room / skills.length));
    const shown = skills.map(({ name, description }) => ({ name, description: description.slice(0, to) }));
    return report(shown, {
      ...nothing,
      shortenedTo: to,
      withoutDescription: to === 0 ? skills.map(({ name }) => name) : [],
    });
  }
  let left = limit - sum(skills.map(bare));
  const kept = new Set<string>();
  for (const { name, description } of skills.toSorted(
    (a, b) => (usage.get(b.name) ?? 0) - (usage.get(a.name) ?? 0),
  )) {
    left -= description.length;
    if (left < 0) break;
    kept.add(name);
  }
  const shown = skills.map((skill) => (kept.has(skill.name) ? skill : { ...skill, description: '' }));
  const dropped = skills.filter(({ name }) => !kept.has(name)).map(({ name }) => name);
  return report(shown, { ...nothing, withoutDescription: dropped });
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
