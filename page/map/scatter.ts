/** Points on a canvas: draws tens of thousands, and moves and picks them. */

/** What of the plane is seen: its middle, and how many pixels are as long as 1. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** What the map is drawn on, as the four bytes of a pixel read as one number: #0e1014. */
const GROUND = 0xff14100e;
/** Strength of a point that is in no selection, of one without any selection, and of a selected one, which is larger, too. */
const FAINT = 0.27;
const USUAL = 0.59;
const CHOSEN = 1;
const CHOSEN_SIZE = 1.5;
/** Farthest distance of the pointer from a point that it means, pixels. */
const REACH = 9;
/** Largest diameter of a point, pixels. */
const MAX_POINT = 26;
/** Share of the points, along each side, that may lie outside of the picture of all. */
const OUTSIDE = 0.01;
const MAX_SCALE = 400_000;

type Span = readonly [middle: number, width: number];

/** Of nearly all points: a few far ones do not take the room of all others. */
function measureSpan(places: Float32Array, side: number): Span {
  const values = places.filter((_, at) => at % 2 === side).sort();
  if (values.length === 0) return [0, 0];
  const out = Math.floor(OUTSIDE * values.length);
  const [low, high] = [values[out]!, values[values.length - 1 - out]!];
  return [(low + high) / 2, high - low];
}

export class Scatter {
  readonly #canvas: HTMLCanvasElement;
  readonly #onFrame: (camera: Camera) => void;
  #places = new Float32Array();
  #colours = new Uint8Array();
  /** Positions of the selected points; null without a selection. */
  #chosen: readonly number[] | null = null;
  /** Middle and width of each side of the picture of all. */
  #spans: readonly [Span, Span] = [
    [0, 0],
    [0, 0],
  ];
  #camera: Camera = { x: 0, y: 0, scale: 300 };
  /** Scale at which all points are seen. */
  #whole = 300;
  #pending = 0;
  /** All points, which are drawn anew when something moves, and the same with the selected ones. */
  #pictures: readonly [all: ImageData, selected: ImageData] | null = null;
  #isMoved = true;
  /** Of the canvas: asking it for each point of a large map takes longer than drawing. */
  width = 0;
  height = 0;

  /** `onFrame` is called with each drawn frame, to move what lies on top. */
  constructor(canvas: HTMLCanvasElement, onFrame: (camera: Camera) => void) {
    this.#canvas = canvas;
    this.#onFrame = onFrame;
  }

  get camera(): Camera {
    return this.#camera;
  }

  get isWhole(): boolean {
    return Math.abs(this.magnification - 1) < 1e-6;
  }

  /** x and y of each point, and its colour: `Uint8Array[n × 3]`. */
  setPoints(places: Float32Array<ArrayBuffer>, colours: Uint8Array<ArrayBuffer>): void {
    this.#places = places;
    this.#colours = colours;
    this.#chosen = null;
    this.#spans = [measureSpan(places, 0), measureSpan(places, 1)];
    this.#measure();
    this.#isMoved = true;
    this.#draw();
  }

  /** How much larger than the whole map the picture is. */
  get magnification(): number {
    return this.#camera.scale / this.#whole;
  }

  /** Diameter of a point, pixels: as large as the space allows, and growing slower than the picture. */
  get pointSize(): number {
    const room = Math.sqrt((this.width * this.height) / Math.max(1, this.#places.length / 2));
    return Math.max(2.4, Math.min(MAX_POINT, 0.13 * room * Math.sqrt(this.magnification)));
  }

  choose(points: readonly number[] | null): void {
    // The others are fainter then.
    if ((points === null) !== (this.#chosen === null)) this.#isMoved = true;
    this.#chosen = points;
    this.#draw();
  }

  /** Call when the canvas has another size. */
  resize(): void {
    const { isWhole } = this;
    this.width = this.#canvas.clientWidth;
    this.height = this.#canvas.clientHeight;
    this.#canvas.width = Math.round(this.width * devicePixelRatio);
    this.#canvas.height = Math.round(this.height * devicePixelRatio);
    this.#pictures = null;
    const whole = this.#measure();
    this.look(isWhole ? whole : this.#camera);
  }

  /** Shows all points. */
  fit(): void {
    this.look(this.#measure());
  }

  /** The view of all points, with room for their names. */
  #measure(): Camera {
    const [[x, width], [y, height]] = this.#spans;
    const scale = 0.9 * Math.min(this.width / Math.max(width, 0.1), this.height / Math.max(height, 0.1));
    this.#whole = Math.max(1, scale);
    return { x, y, scale: this.#whole };
  }

  look(camera: Camera): void {
    this.#camera = { ...camera, scale: Math.max(this.#whole / 3, Math.min(MAX_SCALE, camera.scale)) };
    this.#isMoved = true;
    this.#draw();
  }

  /** Moves the picture by pixels. */
  pan(x: number, y: number): void {
    const { x: left, y: low, scale } = this.#camera;
    this.look({ x: left - x / scale, y: low + y / scale, scale });
  }

  /** Magnifies around a pixel, which stays where it is. */
  zoom(factor: number, x: number, y: number): void {
    const before = this.#at(x, y);
    this.look({ ...this.#camera, scale: this.#camera.scale * factor });
    const after = this.#at(x, y);
    const { x: left, y: low, scale } = this.#camera;
    this.look({ x: left + before[0] - after[0], y: low + before[1] - after[1], scale });
  }

  /** The point of the plane at a pixel. */
  #at(x: number, y: number): readonly [number, number] {
    const { x: middle, y: height, scale } = this.#camera;
    return [middle + (x - this.width / 2) / scale, height - (y - this.height / 2) / scale];
  }

  /** Where a place of the plane is on the canvas, in pixels. */
  pixelOf(x: number, y: number): readonly [number, number] {
    const { x: middle, y: height, scale } = this.#camera;
    return [this.width / 2 + (x - middle) * scale, this.height / 2 - (y - height) * scale];
  }

  /** The point nearest to a pixel, or null where none is near. */
  pick(x: number, y: number): number | null {
    return this.#nearest(x, y, Math.max(REACH, this.pointSize / 2 + 2));
  }

  /** The pixel to magnify around: of the point nearest to the middle, so that an empty middle does not push all points out. */
  get focus(): readonly [number, number] {
    const middle = [this.width / 2, this.height / 2] as const;
    const near = this.#nearest(...middle, Number.POSITIVE_INFINITY);
    if (near === null || !this.sees(near)) return middle;
    return this.pixelOf(this.#places[2 * near]!, this.#places[2 * near + 1]!);
  }

  /** `reach` in pixels. */
  #nearest(x: number, y: number, reach: number): number | null {
    const [left, low] = this.#at(x, y);
    let best: number | null = null;
    let least = (reach / this.#camera.scale) ** 2;
    for (let at = 0; at < this.#places.length / 2; at += 1) {
      const distance = (this.#places[2 * at]! - left) ** 2 + (this.#places[2 * at + 1]! - low) ** 2;
      if (distance < least) [best, least] = [at, distance];
    }
    return best;
  }

  /** Whether a point is in the picture. */
  sees(point: number): boolean {
    const { x, y, scale } = this.#camera;
    return (
      Math.abs(this.#places[2 * point]! - x) * scale <= this.width / 2 &&
      Math.abs(this.#places[2 * point + 1]! - y) * scale <= this.height / 2
    );
  }

  close(): void {
    cancelAnimationFrame(this.#pending);
  }

  /** At most once per frame. */
  #draw(): void {
    if (this.#pending !== 0) return;
    this.#pending = requestAnimationFrame(() => {
      this.#pending = 0;
      const { width, height } = this.#canvas;
      if (width === 0 || height === 0) return;
      this.#pictures ??= [new ImageData(width, height), new ImageData(width, height)];
      const [all, selected] = this.#pictures;
      const diameter = this.pointSize * devicePixelRatio;
      if (this.#isMoved) {
        new Uint32Array(all.data.buffer).fill(GROUND);
        const disc = stamp(diameter, this.#chosen === null ? USUAL : FAINT);
        for (let at = 0; at < this.#places.length / 2; at += 1) this.#drawPoint(all, disc, at);
        this.#isMoved = false;
      }
      selected.data.set(all.data);
      const disc = stamp(CHOSEN_SIZE * diameter, CHOSEN);
      for (const at of this.#chosen ?? []) this.#drawPoint(selected, disc, at);
      this.#canvas.getContext('2d', { alpha: false })?.putImageData(selected, 0, 0);
      this.#onFrame(this.#camera);
    });
  }

  #drawPoint(picture: ImageData, disc: Disc, at: number): void {
    if (!this.sees(at)) return;
    const [x, y] = this.pixelOf(this.#places[2 * at]!, this.#places[2 * at + 1]!);
    addDisc(picture, disc, x * devicePixelRatio, y * devicePixelRatio, this.#colours, 3 * at);
  }
}

/** How strongly each pixel of a disc shines, in rows. */
interface Disc {
  readonly side: number;
  readonly strengths: Float32Array;
}

function stamp(diameter: number, strength: number): Disc {
  const side = Math.ceil(diameter);
  const strengths = Float32Array.from({ length: side * side }, (_, at) => {
    const far = Math.hypot((at % side) + 0.5 - side / 2, Math.floor(at / side) + 0.5 - side / 2) / diameter;
    return strength * Math.max(0, Math.min(1, (0.5 - far) / 0.12));
  });
  return { side, strengths };
}

/** Light adds up on the dark ground: where much lies, it glows. The bytes of a picture stay within 255 by themselves. */
function addDisc(
  { data, width, height }: ImageData,
  { side, strengths }: Disc,
  x: number,
  y: number,
  colours: Uint8Array,
  from: number,
) {
  const [left, top] = [Math.round(x - side / 2), Math.round(y - side / 2)];
  for (let row = Math.max(0, -top); row < side && top + row < height; row += 1)
    for (let column = Math.max(0, -left); column < side && left + column < width; column += 1) {
      const strength = strengths[row * side + column]!;
      const at = 4 * ((top + row) * width + left + column);
      data[at]! += strength * colours[from]!;
      data[at + 1]! += strength * colours[from + 1]!;
      data[at + 2]! += strength * colours[from + 2]!;
    }
}
