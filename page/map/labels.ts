/**
 * Names on the map: first those of what somebody looked for or chose, then those of themes, then of skills by importance, as
 * many as fit. Near enough, every point in the picture has one.
 */

import { shown } from '../parts.tsx';
import type { Counts, Points } from './points.ts';
import type { Scatter } from './scatter.ts';

/** Points in the picture up to which each gets a name if it fits; with more, only a few names with room around them. */
const ALL_NAMED = 150;
const SOME_NAMED = 2_500;
/** Room around one of few names, pixels. */
const ROOM = 46;
/** Names that are tried, and shown, in one frame. */
const MAX_TRIED = 700;
const MAX_SHOWN = 170;
const HEIGHT = 17;
const FONT = '12.5px Inter, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif';
/** Longest name, characters. */
const LONGEST = 40;
/** Skills up to which themes have no names: each skill has its own. */
const NO_THEMES = 40;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Label {
  readonly text: string;
  /** A smaller line below it; empty for none. */
  readonly second: string;
  readonly kind: 'theme' | 'name' | 'chosen';
  readonly left: number;
  readonly top: number;
}

export class Labels {
  readonly #container: HTMLElement;
  readonly #widths = new Map<string, number>();
  readonly #ruler = document.createElement('canvas').getContext('2d');
  #map: Points | null = null;
  #use: Counts | null = null;
  /** What is named in any case, with its rank in a search. */
  #marked: ReadonlyMap<number, number | null> = new Map();

  constructor(container: HTMLElement) {
    this.#container = container;
  }

  /** Whether it has no map yet. */
  get isEmpty(): boolean {
    return this.#map === null;
  }

  setMap(map: Points, use: Counts | null): void {
    this.#map = map;
    this.#use = use;
  }

  /** The most important first. */
  setMarked(marked: ReadonlyMap<number, number | null>): void {
    this.#marked = marked;
  }

  place(scatter: Scatter): void {
    const map = this.#map;
    if (map === null) return;
    const { size, places, themes } = map;
    const taken: Box[] = [];
    const labels: Label[] = [];
    const beside = scatter.pointSize / 2 + 3;
    const visible: number[] = [];
    for (let at = 0; at < size && visible.length <= SOME_NAMED; at += 1)
      if (scatter.sees(at)) visible.push(at);
    if (visible.length <= SOME_NAMED) sortByImportance(visible, map, this.#use);
    const isClose = visible.length <= ALL_NAMED;
    // Near enough, a name hides no other point.
    const dots = isClose ? visible.map((at) => dotOf(scatter, map, at)) : [];
    const { clientWidth, clientHeight } = this.#container;
    const put = (
      text: string,
      kind: Label['kind'],
      left: number,
      top: number,
      room: number,
      over: readonly Box[],
      second = '',
    ) => {
      const width = Math.max(this.#widthOf(text, kind), second === '' ? 0 : this.#widthOf(second, 'name'));
      const height = second === '' ? HEIGHT : 2 * HEIGHT;
      const box = { left, right: left + width, top, bottom: top + height };
      const isInside = left >= 0 && top >= 0 && box.right <= clientWidth && box.bottom <= clientHeight;
      if (
        !isInside ||
        taken.some((other) => touches(box, other, room)) ||
        over.some((other) => touches(box, other, 0))
      )
        return false;
      taken.push(box);
      labels.push({ text, second, kind, left, top });
      return true;
    };
    const name = (at: number, kind: 'name' | 'chosen', room: number) => {
      const rank = this.#marked.get(at);
      const text = `${typeof rank === 'number' ? `${rank} ` : ''}${short(map.nameOf(at))}`;
      const [x, y] = scatter.pixelOf(places[2 * at]!, places[2 * at + 1]!);
      const width = this.#widthOf(text, kind);
      const within = Math.max(0, Math.min(clientWidth - width, x - width / 2));
      const spots = [
        [x + beside, y - HEIGHT / 2],
        [x - beside - width, y - HEIGHT / 2],
        [within, y + beside],
        [within, y - beside - HEIGHT],
      ] as const;
      return (
        spots.some(([left, top]) => put(text, kind, left, top, room, dots)) ||
        (isClose && spots.some(([left, top]) => put(text, kind, left, top, room, [])))
      );
    };
    for (const at of [...this.#marked.keys()].slice(0, MAX_SHOWN))
      if (scatter.sees(at)) name(at, 'chosen', 1);
    if (size > NO_THEMES)
      for (const { label, typical, x: planeX, y: planeY } of themes) {
        const [x, y] = scatter.pixelOf(planeX, planeY);
        // A theme without typical words is named by its skills.
        const second = label.includes(typical) ? '' : short(typical);
        const widths = [this.#widthOf(label, 'theme'), this.#widthOf(second, 'name')] as const;
        const left = x - Math.max(...widths) / 2;
        // Where two lines do not fit, the name does.
        if (!put(label, 'theme', left, y - HEIGHT, 5, [], second))
          put(label, 'theme', x - widths[0] / 2, y - HEIGHT / 2, 5, []);
      }
    if (visible.length <= SOME_NAMED)
      for (const at of visible.slice(0, MAX_TRIED)) {
        if (labels.length >= MAX_SHOWN) break;
        if (!this.#marked.has(at)) name(at, 'name', isClose ? 2 : ROOM);
      }
    this.#show(labels);
  }

  #show(labels: readonly Label[]): void {
    while (this.#container.children.length < labels.length)
      this.#container.append(document.createElement('span'));
    for (const [at, element] of ([...this.#container.children] as HTMLElement[]).entries()) {
      const label = labels[at];
      if (label === undefined) {
        element.style.visibility = 'hidden';
        continue;
      }
      if (element.textContent !== label.text) element.textContent = label.text;
      if (element.dataset.second !== label.second) element.dataset.second = label.second;
      element.className = label.kind;
      element.style.transform = `translate(${label.left}px, ${label.top}px)`;
      element.style.visibility = 'visible';
    }
  }

  /** Measured once for each text, pixels. */
  #widthOf(text: string, kind: Label['kind']): number {
    const key = `${kind === 'name' ? '' : 'b'}${text}`;
    const known = this.#widths.get(key);
    if (known !== undefined || this.#ruler === null) return known ?? 7 * text.length;
    this.#ruler.font = `${kind === 'name' ? '' : '600 '}${FONT}`;
    const width = this.#ruler.measureText(text).width;
    this.#widths.set(key, width);
    return width;
  }
}

const touches = (a: Box, b: Box, room: number) =>
  a.right + room >= b.left &&
  a.left <= b.right + room &&
  a.bottom + room / 3 >= b.top &&
  a.top <= b.bottom + room / 3;

function dotOf(scatter: Scatter, { places }: Points, at: number): Box {
  const [x, y] = scatter.pixelOf(places[2 * at]!, places[2 * at + 1]!);
  const half = scatter.pointSize / 2;
  return { left: x - half, right: x + half, top: y - half, bottom: y + half };
}

const short = (name: string) => {
  const text = shown(name);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
};

/** Loaded often, found often, then near the middle of its theme. */
function sortByImportance(points: number[], { places, themes, themeOf }: Points, use: Counts | null): void {
  const far = new Map(
    points.map((at) => {
      const { x, y } = themes[themeOf[at]!]!;
      return [at, (places[2 * at]! - x) ** 2 + (places[2 * at + 1]! - y) ** 2];
    }),
  );
  const used = (at: number) => {
    const [found, loaded] = use?.get(at) ?? [0, 0];
    return 5 * loaded + found;
  };
  points.sort((a, b) => used(b) - used(a) || far.get(a)! - far.get(b)!);
}
