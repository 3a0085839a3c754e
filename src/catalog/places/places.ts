/**
 * The places of a map: where skills lie densely, on two levels, each with its name if one is true of it. Density of the points
 * on a grid, smoothed; each peak takes the cells below it down to the saddle to a higher one (watershed), and peaks that
 * stand out little are joined to their higher neighbours (persistence), so that the two levels nest.
 */

import { type NamedSkill, nameGroups } from './names.ts';

/** Cells of each side, and the radius of the smoothing in cells. */
const GRID = 320;
const SMOOTHING = 3;
/** Places of a large map by level, and least mean number of skills in one. */
const LEVELS = [
  { places: 40, skills: 12 },
  { places: 260, skills: 4 },
] as const;

export interface Place {
  /** Null where no word is true of it. */
  readonly label: string | null;
  /** In the middle of the skills that carry the name, at one of them. */
  readonly x: number;
  readonly y: number;
  readonly skills: number;
  /** Position of the place around it; null on the upper level. */
  readonly parent: number | null;
  /** Positions of the skills that carry the name. */
  readonly carriers: readonly number[];
}

export interface Places {
  /** Upper level first, on each level the largest first. */
  readonly places: readonly Place[];
  /** Position of each skill's place on the lower level. */
  readonly placeOf: readonly number[];
}

/** `points` are x and y of each skill. Deterministic. */
export function findPlaces(points: Float32Array, skills: readonly NamedSkill[]): Places {
  if (skills.length === 0) return { places: [], placeOf: [] };
  const { cellOf, density } = measureDensity(points);
  const tree = findPeaks(density);
  const [upper, lower] = LEVELS.map(({ places, skills: least }) =>
    joinPeaks(cellOf, tree, Math.min(places, Math.ceil(skills.length / least))),
  ) as [Group[], Group[]];
  const parents = new Map(upper.flatMap(({ members }, at) => members.map((member) => [member, at] as const)));
  const groups = [...upper, ...lower];
  const names = nameGroups(
    skills,
    groups.map(({ members }) => members),
  );
  const placeOf: number[] = Array.from({ length: skills.length }, () => 0);
  lower.forEach(({ members }, at) => {
    for (const member of members) placeOf[member] = upper.length + at;
  });
  const places = groups.map(({ members }, at): Place => {
    const name = names[at] ?? null;
    const carriers = name?.carriers.map((carrier) => members[carrier]!) ?? members;
    const middle = findMiddle(points, carriers);
    return {
      label: name?.label ?? null,
      x: points[2 * middle]!,
      y: points[2 * middle + 1]!,
      skills: members.length,
      parent: at < upper.length ? null : parents.get(members[0]!)!,
      carriers: name === null ? [] : carriers,
    };
  });
  return { places, placeOf };
}

interface Group {
  readonly members: readonly number[];
}

function measureDensity(points: Float32Array): { cellOf: Uint32Array; density: Float32Array } {
  const [low, high] = [Math.min, Math.max].map((most) => points.reduce((a, b) => most(a, b))) as [
    number,
    number,
  ];
  const side = Math.max(high - low, 1e-9);
  const cell = (value: number) => Math.min(GRID - 1, Math.floor((GRID * (value - low)) / side));
  const cellOf = Uint32Array.from(
    { length: points.length / 2 },
    (_, at) => cell(points[2 * at + 1]!) * GRID + cell(points[2 * at]!),
  );
  const counts = new Float32Array(GRID * GRID);
  for (const at of cellOf) counts[at]! += 1;
  return { cellOf, density: smoothed(smoothed(counts, 1), GRID) };
}

/** A Gaussian along one side; `stride` is the distance of two neighbours. */
function smoothed(values: Float32Array, stride: number): Float32Array {
  const reach = 3 * SMOOTHING;
  const weights = Array.from({ length: 2 * reach + 1 }, (_, at) =>
    Math.exp(-0.5 * ((at - reach) / SMOOTHING) ** 2),
  );
  return values.map((_, cell) => {
    const along = Math.floor(cell / stride) % GRID;
    let sum = 0;
    for (let step = Math.max(-reach, -along); step <= reach && along + step < GRID; step += 1)
      sum += weights[step + reach]! * values[cell + step * stride]!;
    return sum;
  });
}

interface Peaks {
  /** The peak of each cell, by cell. */
  readonly peakOf: Int32Array;
  /** For each peak, the higher one that it meets, and how high it is over the saddle between. */
  readonly joins: ReadonlyMap<number, { readonly higher: number; readonly height: number }>;
}

/** From the densest cell downwards: a cell without a neighbour is a peak, one between two peaks joins the lower to the higher. */
function findPeaks(density: Float32Array): Peaks {
  const order = Array.from(density.keys())
    .filter((cell) => density[cell]! > 0)
    .sort((a, b) => density[b]! - density[a]! || a - b);
  const peakOf = new Int32Array(density.length).fill(-1);
  const joins = new Map<number, { higher: number; height: number }>();
  const root = (peak: number): number => {
    const join = joins.get(peak);
    return join === undefined ? peak : root(join.higher);
  };
  for (const cell of order) {
    const near = neighbourCells(cell).filter((other) => peakOf[other]! >= 0);
    // The steepest way up.
    const up = near.reduce(
      (best, other) => (best < 0 || density[other]! > density[best]! ? other : best),
      -1,
    );
    peakOf[cell] = up < 0 ? cell : peakOf[up]!;
    const roots = [...new Set(near.map((other) => root(peakOf[other]!)))].sort(
      (a, b) => density[b]! - density[a]! || a - b,
    );
    // In square roots, in which the chance of counts is the same everywhere.
    for (const lower of roots.slice(1))
      joins.set(lower, { higher: roots[0]!, height: Math.sqrt(density[lower]!) - Math.sqrt(density[cell]!) });
  }
  return { peakOf, joins };
}

function neighbourCells(cell: number): number[] {
  const [x, y] = [cell % GRID, Math.floor(cell / GRID)];
  return [-1, 0, 1].flatMap((dy) =>
    [-1, 0, 1].flatMap((dx) =>
      (dx !== 0 || dy !== 0) && x + dx >= 0 && x + dx < GRID && y + dy >= 0 && y + dy < GRID
        ? [cell + dx + dy * GRID]
        : [],
    ),
  );
}

/** The points by the most outstanding peaks, `most` of them; the largest group first, none is empty. */
function joinPeaks(cellOf: Uint32Array, { peakOf, joins }: Peaks, most: number): Group[] {
  const heights = [...joins.values()].map(({ height }) => height).sort((a, b) => b - a);
  const least = heights[most - 1] ?? -1;
  const kept = (peak: number): number => {
    const join = joins.get(peak);
    return join === undefined || join.height > least ? peak : kept(join.higher);
  };
  const groups = new Map<number, number[]>();
  cellOf.forEach((cell, point) => {
    const peak = kept(peakOf[cell]!);
    const group = groups.get(peak);
    if (group === undefined) groups.set(peak, [point]);
    else group.push(point);
  });
  return [...groups.values()]
    .map((members) => ({ members }))
    .sort((a, b) => b.members.length - a.members.length || a.members[0]! - b.members[0]!);
}

/** The point nearest to the median of all. */
function findMiddle(points: Float32Array, members: readonly number[]): number {
  const [x, y] = [0, 1].map((side) => {
    const values = members.map((at) => points[2 * at + side]!).sort((a, b) => a - b);
    return values[Math.floor(values.length / 2)]!;
  }) as [number, number];
  const far = (at: number) => Math.hypot(points[2 * at]! - x, points[2 * at + 1]! - y);
  return members.reduce((best, at) => (far(at) < far(best) ? at : best));
}
