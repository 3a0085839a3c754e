/**
 * What a host's own list of skills costs in every prompt, and what it leaves out, by the host's documented limits; and the lists of the
 * hosts on this machine, of the skills in the folders that they read.
 */

import { basename } from 'node:path';
import type { ProcessEnvironment } from '../app/configured.ts';
import { readBelow, readRegularSync } from '../base/files/read.ts';
import { estimateTokens } from '../gateway/tokens.ts';
import { parseSkill } from '../skills/parse.ts';
import { localSource } from '../sources/local.ts';
import { readCatalog } from '../sources/scan/catalog.ts';
import { defaultRoots, foldersReadBy } from '../sources/scan/roots.ts';
import { readHostText, valueAt } from './edit.ts';
import { type Host, installedHosts, type Listing } from './hosts.ts';
import { pathAt, type System } from './locations.ts';
import { connectionOf, isListHidden } from './plan.ts';

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

/** Largest skill file that is read for its name, bytes. */
const MAX_BYTES = 16 * 2 ** 20;

export interface HostList {
  readonly host: Host;
  readonly report: ListingReport;
  /** Whether the list is switched off, so that the report says what it would be. */
  readonly isHidden: boolean;
  /** Whether the host has skillgate in its settings, those of the user or of the project. */
  readonly isConnected: boolean;
}

/** Of the hosts that are installed and find a skill. */
export async function hostLists(environment: ProcessEnvironment, system: System): Promise<HostList[]> {
  const installed = installedHosts(system);
  if (installed.length === 0) return [];
  const skills = await skillsOf(environment);
  const usage = claudeUsage(system);
  return installed.flatMap((host) => {
    const folders = new Set(foldersReadBy(host.id, environment));
    const own = skills.filter(({ root }) => folders.has(root));
    if (own.length === 0) return [];
    const report = listingOf(own, host.listing, host.id === 'claude-code' ? usage : undefined);
    // A file that cannot be read hides and connects nothing; doctor reports it.
    const isHidden = orFalse(() => isListHidden(host, system));
    const isConnected = (['user', 'project'] as const).some((scope) =>
      orFalse(() => connectionOf(host, scope, system) !== null),
    );
    return [{ host, report, isHidden, isConnected }];
  });
}

function orFalse(holds: () => boolean): boolean {
  try {
    return holds();
  } catch {
    return false;
  }
}

interface FoundSkill extends ListedSkill {
  /** The folder of skills that it was found in. */
  readonly root: string;
}

/** Names and descriptions of the skills in the folders of all hosts. */
async function skillsOf(environment: ProcessEnvironment): Promise<readonly FoundSkill[]> {
  const roots = defaultRoots(environment);
  const rootOf = new Map(roots.map(({ name, root }) => [name, root]));
  const { folders } = await readCatalog(roots.map((root) => localSource({ ...root, optional: true })));
  const skills: FoundSkill[] = [];
  for (const { source, folder, file, files } of folders)
    try {
      const bytes = await readBelow(
        folder,
        file,
        (path) => files.some((own) => own.path === path),
        MAX_BYTES,
      );
      const { name, description } = parseSkill(bytes, { path: file, folder: basename(folder) });
      skills.push({ name, description, root: rootOf.get(source) ?? '' });
    } catch {
      // skillgate validate reports it.
    }
  return skills;
}

/** How often Claude Code used each skill. Its file is read for that alone; whatever it holds, nothing fails. */
function claudeUsage(system: System): ReadonlyMap<string, number> {
  const file = pathAt('{claudeState}/.claude.json', system);
  try {
    const value = readHostText({
      file,
      format: 'json',
      text: Buffer.from(readRegularSync(file, MAX_BYTES)).toString('utf8'),
    });
    const counts = Object.entries(Object(valueAt(value, ['skillUsage']))).map(
      ([name, use]) => [name, Number(valueAt(use, ['usageCount']) ?? 0)] as const,
    );
    return new Map(counts.filter(([, count]) => Number.isFinite(count)));
  } catch {
    return new Map();
  }
}
