/**
 * What is written on the map: the numbers and names of hits first, then names of places, the large ones first, then names of
 * skills, as many as fit. A name of a place is never moved off it. Nearer, the places of the lower level and more skills follow.
 */

import { shown } from '../parts.tsx';
import type { Points } from './points.ts';
import type { Scatter } from './scatter.ts';

/** Skills up to which places have no names: each skill has its own. */
const FEW = 500;
/** Magnification, or number of skills, from which on skills are named, those with room around them. */
const NEAR = 1.9;
const MANY = 2_500;
/** Skills in the picture up to which each has its name, if need be over the point of another one. */
const CLOSE = 60;
/** Names that are tried, and shown, in one frame. */
const MAX_TRIED = 500;
const MAX_SHOWN = 160;
const HEIGHT = 17;
const FONT = 'px Inter, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif';
const SMALL = 12.5;
/** Longest name, characters. */
const LONGEST = 40;
/** The same word is not written twice within this distance, of a map of width 2, at full size. */
const SAME_WORD = 0.6;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Label extends Box {
  readonly text: string;
  readonly kind: 'place' | 'name' | 'chosen' | 'number';
  readonly size: number;
  /** What a click on it means. */
  readonly place?: string;
  readonly at?: number;
}

/** Ranks of what is named in any case, by position; null for what has none. The most important first. */
export type Lit = ReadonlyMap<number, number | null>;

export class Labels {
  readonly #container: HTMLElement;
  readonly #widths = new Map<string, number>();
  readonly #ruler = document.createElement('canvas').getContext('2d');
  #map: Points | null = null;
  /** Named places by level, the largest first. */
  #places: readonly number[] = [];
  /** Skills, short names first, which say most in the least room; fixed, so that nothing flickers. */
  #order = new Uint32Array();
  #lit: Lit = new Map();
  /** What no name may hide, and whether every skill has its name even so. */
  #dots: readonly Box[] = [];
  #isClose = false;
  #labels: Label[] = [];

  constructor(container: HTMLElement) {
    this.#container = container;
  }

  /** Whether it has no map yet. */
  get isEmpty(): boolean {
    return this.#map === null;
  }

  setMap(map: Points): void {
    this.#map = map;
    const { regions } = map;
    const lengths = Array.from({ length: map.size }, (_, at) => map.nameOf(at).length);
    this.#order = Uint32Array.from(lengths.keys()).sort((a, b) => lengths[a]! - lengths[b]! || a - b);
    this.#places = Array.from(regions.keys())
      .filter((at) => {
        const { label, parent } = regions[at]!;
        return label !== null && (parent === null || regions[parent]!.label !== label);
      })
      .sort((a, b) => regions[b]!.skills - regions[a]!.skills);
  }

  /** The name at a pixel. */
  at(x: number, y: number): Label | undefined {
    return this.#labels.find((label) => touches(label, { left: x, right: x, top: y, bottom: y }, 0));
  }

  setLit(lit: Lit): void {
    this.#lit = lit;
  }

  place(scatter: Scatter): void {
    const map = this.#map;
    if (map === null) return;
    this.#labels = [];
    const visible = this.#order.filter((at) => scatter.sees(at));
    this.#isClose = visible.length <= CLOSE;
    // Between more points than that there is no room for names.
    this.#dots = visible.length <= FEW ? Array.from(visible, (at) => dotBox(scatter, map, at)) : [];
    for (const [at, rank] of this.#lit) if (rank !== null) this.#putNumber(scatter, map, at, rank);
    for (const at of [...this.#lit.keys()].slice(0, MAX_SHOWN)) this.#putName(scatter, map, at, 'chosen', 1);
    if (map.size > FEW) this.#putPlaces(scatter, map);
    const room = visible.length <= FEW ? 2 : 26;
    if (scatter.magnification >= NEAR || map.size <= MANY)
      for (const at of visible.subarray(0, MAX_TRIED)) {
        if (this.#labels.length >= MAX_SHOWN) break;
        if (!this.#lit.has(at)) this.#putName(scatter, map, at, 'name', room);
      }
    this.#show();
  }

  #putNumber(scatter: Scatter, { places }: Points, at: number, rank: number): void {
    const [x, y] = scatter.pixelOf(places[2 * at]!, places[2 * at + 1]!);
    if (!scatter.sees(at)) return;
    const box = { left: x - 11, right: x + 11, top: y - 11, bottom: y + 11 };
    this.#labels.push({ text: String(rank), kind: 'number', ...box, size: 12, at });
  }

  #putName(scatter: Scatter, map: Points, at: number, kind: 'name' | 'chosen', room: number): void {
    if (!scatter.sees(at)) return;
    const text = short(map.nameOf(at));
    const [x, y] = scatter.pixelOf(map.places[2 * at]!, map.places[2 * at + 1]!);
    const width = this.#widthOf(text, SMALL, kind === 'chosen');
    const beside = kind === 'chosen' ? 14 : scatter.pointSize / 2 + 3;
    const within = Math.max(0, Math.min(scatter.width - width, x - width / 2));
    const spots = [
      [x + beside, y - HEIGHT / 2],
      [x - beside - width, y - HEIGHT / 2],
      [within, y + beside],
      [within, y - beside - HEIGHT],
    ] as const;
    const put = (over: readonly Box[]) =>
      spots.some(([left, top]) =>
        this.#put(scatter, { text, kind, left, top, size: SMALL, at }, width, room, over),
      );
    if (!put(this.#dots) && (kind === 'chosen' || this.#isClose)) put([]);
  }

  #putPlaces(scatter: Scatter, { regions, size }: Points): void {
    const largest = Math.log(1 + (regions[this.#places[0] ?? 0]?.skills ?? 1));
    const written: { readonly label: string; readonly x: number; readonly y: number }[] = [];
    for (const place of this.#places) {
      const { label, x, y, skills, parent } = regions[place]!;
      const zoom = scatter.magnification;
      // A place of a few skills is no name of a large map.
      if (
        label === null ||
        skills * zoom ** 2 < size / 700 ||
        (parent !== null && zoom < 1.3 && skills < size / 300)
      )
        continue;
      const far = SAME_WORD / Math.sqrt(zoom);
      if (written.some((other) => other.label === label && Math.hypot(other.x - x, other.y - y) < far))
        continue;
      const [pixelX, pixelY] = scatter.pixelOf(x, y);
      const font = Math.round(11 + 11 * (Math.log(1 + skills) / largest) ** 3);
      const text = short(label);
      const width = this.#widthOf(text, font, true);
      const top = pixelY - 0.7 * font - 2;
      if (
        this.#put(
          scatter,
          { text, kind: 'place', left: pixelX - width / 2, top, size: font, place: label },
          width,
          5,
          [],
        )
      )
        written.push({ label, x, y });
    }
  }

  #put(
    scatter: Scatter,
    label: Omit<Label, 'right' | 'bottom'>,
    width: number,
    room: number,
    over: readonly Box[],
  ): boolean {
    const { left, top, size } = label;
    const box = { ...label, right: left + width, bottom: top + Math.max(HEIGHT, 1.35 * size) };
    const isInside = left >= 0 && top >= 0 && box.right <= scatter.width && box.bottom <= scatter.height;
    if (!isInside) return false;
    if (this.#labels.some((other) => touches(box, other, room))) return false;
    if (over.some((other) => touches(box, other, 0))) return false;
    this.#labels.push(box);
    return true;
  }

  #show(): void {
    while (this.#container.children.length < this.#labels.length)
      this.#container.append(document.createElement('span'));
    for (const [at, element] of ([...this.#container.children] as HTMLElement[]).entries()) {
      const label = this.#labels[at];
      element.style.visibility = label === undefined ? 'hidden' : 'visible';
      if (label === undefined) continue;
      if (element.textContent !== label.text) element.textContent = label.text;
      element.className = label.kind;
      // Of numbers that lie on each other, the first is seen.
      element.style.zIndex = label.kind === 'number' ? String(99 - Number(label.text)) : '0';
      element.style.fontSize = `${label.size}px`;
      element.style.transform = `translate(${label.left}px, ${label.top}px)`;
    }
  }

  /** Measured once for each text, pixels. */
  #widthOf(text: string, size: number, isBold: boolean): number {
    const key = `${isBold ? '600 ' : ''}${text}`;
    let width = this.#widths.get(key);
    if (width === undefined && this.#ruler !== null) {
      this.#ruler.font = `${isBold ? '600 ' : ''}10${FONT}`;
      width = this.#ruler.measureText(text).width;
      this.#widths.set(key, width);
    }
    return ((width ?? 6 * text.length) * size) / 10;
  }
}

const touches = (a: Box, b: Box, room: number) =>
  a.right + room >= b.left &&
  a.left <= b.right + room &&
  a.bottom + room / 3 >= b.top &&
  a.top <= b.bottom + room / 3;

function dotBox(scatter: Scatter, { places }: Points, at: number): Box {
  const [x, y] = scatter.pixelOf(places[2 * at]!, places[2 * at + 1]!);
  // Discs begin at whole pixels.
  const half = scatter.pointSize / 2 + 1;
  return { left: x - half, right: x + half, top: y - half, bottom: y + half };
}

const short = (name: string) => {
  const text = shown(name);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
};
