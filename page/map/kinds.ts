/** How the map is coloured: by theme, source, suspicious passages or use. The groups are its legend. */

import { amountColour, type Colour, categoryColour } from '../colours.ts';
import type { Counts, Points } from './points.ts';

/** Entries of the legend. */
const MAX_KINDS = 24;
export const RED = 28;
const AMBER = 75;
const GREEN = 150;
/** Loads from which a skill counts as loaded often. */
const OFTEN = 5;
/** Folders of an id that may tell where a skill comes from, as `owner/repository/…`. */
const MAX_DEPTH = 3;

export const COLOURINGS = {
  theme: 'Theme',
  source: 'Source',
  remarks: 'Suspicious passages',
  use: 'Use',
} as const;
export type Colouring = keyof typeof COLOURINGS;

export interface Kind {
  readonly label: string;
  readonly colour: Colour;
  readonly points: readonly number[];
}

/** How a colouring groups the points: the group of each, and label and colour of a group. */
interface Grouping<Group> {
  readonly of: (at: number) => Group;
  readonly label: (group: Group) => string;
  /** `rank` is that of the group by size, from 0. */
  readonly colour: (group: Group, rank: number) => Colour;
}

function groupingOf(
  map: Points,
  use: Counts | null,
  colouring: Colouring,
  dark: boolean,
): Grouping<number | string> {
  const grey = amountColour(0, 0, dark);
  const byRank = (_: number | string, rank: number) => categoryColour(rank, dark);
  switch (colouring) {
    case 'theme':
      return {
        of: (at) => map.themeOf[at]!,
        label: (theme) => map.themes[theme as number]!.label,
        colour: byRank,
      };
    case 'source':
      return { of: originsOf(map), label: String, colour: byRank };
    case 'remarks':
      return {
        of: (at) => (map.suspicious.has(at) ? 1 : 0),
        label: (group) => (group === 1 ? 'with suspicious passages' : 'nothing suspicious'),
        colour: (group) => (group === 1 ? amountColour(1, RED, dark) : grey),
      };
    case 'use': {
      const kinds = [
        ['never found', grey],
        ['found, never loaded', amountColour(0.8, AMBER, dark)],
        ['loaded', amountColour(0.6, GREEN, dark)],
        [`loaded ${OFTEN} times or more`, amountColour(1, GREEN, dark)],
      ] as const;
      return {
        of(at) {
          const [found, loaded] = use?.get(at) ?? [0, 0];
          return loaded >= OFTEN ? 3 : loaded > 0 ? 2 : found > 0 ? 1 : 0;
        },
        label: (group) => kinds[group as number]![0],
        colour: (group) => kinds[group as number]![1],
      };
    }
  }
}

/** Sources; where there is one, the first folders that tell skills apart: its repositories. */
function originsOf({ ids, sources, sourceOf }: Points): (at: number) => string {
  if (sources.length > 1) return (at) => sources[sourceOf[at]!]!;
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
    const folders = ids.map((id) => id.split('/').slice(0, -1).slice(0, depth).join('/'));
    if (new Set(folders).size > 1) return (at) => folders[at] || 'no folder';
  }
  return () => sources[0] ?? '';
}

/** The colour of each point (`Uint8Array[n × 3]`), and the legend; what has no entry of its own is grey. */
export function kindsOf(
  map: Points,
  use: Counts | null,
  colouring: Colouring,
  dark: boolean,
): { colours: Uint8Array; entries: readonly Kind[] } {
  const grouping = groupingOf(map, use, colouring, dark);
  const groups = new Map<number | string, number[]>();
  for (let at = 0; at < map.size; at += 1) {
    const group = grouping.of(at);
    const points = groups.get(group);
    if (points === undefined) groups.set(group, [at]);
    else points.push(at);
  }
  const sorted = [...groups].sort(([, a], [, b]) => b.length - a.length);
  const colours = new Uint8Array(3 * map.size);
  const grey = amountColour(0, 0, dark);
  const all = sorted.map(([group, points], rank) => {
    const colour = rank < MAX_KINDS ? grouping.colour(group, rank) : grey;
    for (const at of points) {
      colours[3 * at] = colour[0];
      colours[3 * at + 1] = colour[1];
      colours[3 * at + 2] = colour[2];
    }
    return { label: grouping.label(group), colour, points };
  });
  return { colours, entries: all.slice(0, MAX_KINDS) };
}
