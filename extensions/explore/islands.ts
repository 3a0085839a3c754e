/** Brings what lies far outside of a map nearer, each group of points as a whole, so that a few do not take the room of all others. */

/** How far beyond the quartiles a group counts as far outside, of the width of the middle half. */
const FENCE = 0.4;
/** Cells in the width of the middle half: points whose cells touch are one group, and groups stay a cell apart. */
const CELLS = 16;
/** Points among which none is far outside. */
const FEW = 16;

interface Island {
  readonly points: number[];
  /** Column and row of each of its cells. */
  readonly cells: (readonly [column: number, row: number])[];
}

/** x and y of each point, moved: groups outside move towards the middle until they are inside, or next to another one. */
export function gathered(places: Float32Array): Float32Array {
  if (places.length < 2 * FEW) return places;
  const sides = [0, 1].map((side) => {
    const values = places.filter((_, at) => at % 2 === side).sort();
    const quarter = (share: number) => values[Math.floor(share * (values.length - 1))]!;
    const [low, middle, high] = [quarter(0.25), quarter(0.5), quarter(0.75)];
    return { low: low - FENCE * (high - low), middle, high: high + FENCE * (high - low), room: high - low };
  });
  const cell = Math.max(...sides.map(({ room }) => room), 1e-9) / CELLS;
  const middle = sides.map((side) => Math.round(side.middle / cell));
  const fences = sides.map(({ low, high }) => [Math.floor(low / cell), Math.floor(high / cell)] as const);
  const distance = ({ cells }: Island) =>
    Math.min(...cells.map(([x, y]) => Math.hypot(x - middle[0]!, y - middle[1]!)));
  const islands = islandsIn(places, cell)
    .map((island) => ({ island, far: distance(island) }))
    // The largest choose first.
    .sort((a, b) => b.island.points.length - a.island.points.length || a.far - b.far);
  const taken = new Set<string>();
  const moved = places.slice();
  for (const { island, far } of islands) {
    const { cells, points } = island;
    const [nearX, nearY] = cells.reduce((near, next) =>
      Math.hypot(next[0] - middle[0]!, next[1] - middle[1]!) <
      Math.hypot(near[0] - middle[0]!, near[1] - middle[1]!)
        ? next
        : near,
    );
    /** How many cells it moves along both sides after that many steps of one cell. */
    const shift = (step: number) =>
      [((middle[0]! - nearX) * step) / (far || 1), ((middle[1]! - nearY) * step) / (far || 1)].map(
        Math.round,
      );
    const fits = (step: number) => {
      const [right, up] = shift(step);
      return !cells.some(([x, y]) => taken.has(`${x + right!} ${y + up!}`));
    };
    const isOutside = (step: number) => {
      const by = shift(step);
      return cells.some((at) =>
        fences.some(([low, high], side) => at[side]! + by[side]! < low || at[side]! + by[side]! > high),
      );
    };
    let step = 0;
    while (step < far && isOutside(step) && fits(step + 1)) step += 1;
    // A larger one may have taken its place.
    while (!fits(step)) step -= 1;
    const [right, up] = shift(step);
    for (const at of points) {
      moved[2 * at]! += right! * cell;
      moved[2 * at + 1]! += up! * cell;
    }
    for (const [x, y] of cells)
      for (const dx of [-1, 0, 1])
        for (const dy of [-1, 0, 1]) taken.add(`${x + right! + dx} ${y + up! + dy}`);
  }
  return moved;
}

/** Points whose cells touch each other, also at a corner, or over others of the same island. */
function islandsIn(places: Float32Array, cell: number): Island[] {
  const filled = new Map<string, { readonly at: readonly [number, number]; readonly points: number[] }>();
  for (let point = 0; point < places.length / 2; point += 1) {
    const at = [Math.floor(places[2 * point]! / cell), Math.floor(places[2 * point + 1]! / cell)] as const;
    const known = filled.get(at.join(' '));
    if (known === undefined) filled.set(at.join(' '), { at, points: [point] });
    else known.points.push(point);
  }
  const islands: Island[] = [];
  for (const key of [...filled.keys()]) {
    const open = [key];
    const island: Island = { points: [], cells: [] };
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const found = filled.get(next);
      if (found === undefined) continue;
      filled.delete(next);
      island.cells.push(found.at);
      for (const point of found.points) island.points.push(point);
      const [x, y] = found.at;
      for (const dx of [-1, 0, 1]) for (const dy of [-1, 0, 1]) open.push(`${x + dx} ${y + dy}`);
    }
    if (island.points.length > 0) islands.push(island);
  }
  return islands;
}
