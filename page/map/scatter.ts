/**
 * Points and links in WebGL 2: draws tens of thousands in one call each, and moves, picks and encloses them. Not
 * regl-scatterplot: regl compiles its commands with `Function`, which the page's content security policy refuses.
 */

import type { Colour } from '../colours.ts';

/** What of the plane is seen: its middle, and how many pixels are as long as 1. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const POINTS = `#version 300 es
layout(location = 0) in vec2 place;
layout(location = 1) in vec4 look;
uniform vec2 middle; uniform vec2 stretch; uniform float size;
out vec4 colour;
void main() {
  gl_Position = vec4((place - middle) * stretch, 0, 1);
  gl_PointSize = size * (look.a > 0.9 ? 1.5 : 1.0);
  colour = look;
}`;
const DISC = `#version 300 es
precision mediump float;
in vec4 colour; out vec4 pixel;
void main() {
  float edge = length(gl_PointCoord - 0.5);
  float cover = 1.0 - smoothstep(0.38, 0.5, edge);
  if (cover == 0.0) discard;
  pixel = vec4(colour.rgb, 1) * colour.a * cover;
}`;
const FLAT = `#version 300 es
precision mediump float;
in vec4 colour; out vec4 pixel;
void main() { pixel = vec4(colour.rgb, 1) * colour.a; }`;

/** Opacity of a point that is in no selection, of one without any selection, and of a selected one. */
const FAINT = 40;
const USUAL = 190;
const CHOSEN = 255;
/** Farthest distance of the pointer from a point that it means, pixels. */
const REACH = 9;
/** Largest diameter of a point, pixels. */
const MAX_POINT = 26;
/** Farthest distance of the pointer from a line that it means, pixels. */
const LINE_REACH = 5;
const MAX_SCALE = 400_000;

export class Scatter {
  readonly #canvas: HTMLCanvasElement;
  readonly #gl: WebGL2RenderingContext;
  readonly #points: WebGLProgram;
  readonly #lines: WebGLProgram;
  readonly #buffers: { place: WebGLBuffer; look: WebGLBuffer; linkPlace: WebGLBuffer; linkLook: WebGLBuffer };
  readonly #onFrame: (camera: Camera) => void;
  #places = new Float32Array();
  #linkEnds = 0;
  #links: readonly (readonly [number, number])[] = [];
  #camera: Camera = { x: 0, y: 0, scale: 300 };
  /** Scale at which all points are seen. */
  #whole = 300;
  #pending = 0;
  /** Of the canvas: asking it for each point of a large map takes longer than drawing. */
  #size = { clientWidth: 0, clientHeight: 0 };

  /** Throws where the browser has no WebGL 2. `onFrame` is called with each drawn frame, to move what lies on top. */
  constructor(canvas: HTMLCanvasElement, onFrame: (camera: Camera) => void) {
    const gl = canvas.getContext('webgl2', { antialias: false, premultipliedAlpha: true, alpha: true });
    if (gl === null) throw new Error('This browser has no WebGL 2, which the map needs.');
    this.#canvas = canvas;
    this.#gl = gl;
    this.#onFrame = onFrame;
    this.#points = program(gl, POINTS, DISC);
    this.#lines = program(gl, POINTS, FLAT);
    this.#buffers = {
      place: gl.createBuffer(),
      look: gl.createBuffer(),
      linkPlace: gl.createBuffer(),
      linkLook: gl.createBuffer(),
    };
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  get camera(): Camera {
    return this.#camera;
  }

  /** x and y of each point. */
  setPlaces(places: Float32Array<ArrayBuffer>): void {
    this.#places = places;
    this.#fill(this.#buffers.place, places);
    this.#measure();
    this.#draw();
  }

  /** How much larger than the whole map the picture is. */
  get magnification(): number {
    return this.#camera.scale / this.#whole;
  }

  /** Diameter of a point, pixels: as large as the space allows, and growing slower than the picture. */
  get pointSize(): number {
    const { clientWidth, clientHeight } = this.#size;
    const room = Math.sqrt((clientWidth * clientHeight) / Math.max(1, this.#places.length / 2));
    return Math.max(2.4, Math.min(MAX_POINT, 0.13 * room * Math.sqrt(this.magnification)));
  }

  /** `colours` are `Uint8Array[n × 3]`; `chosen` has 1 for each point of the selection; null for none. */
  setLook(colours: Uint8Array, chosen: Uint8Array | null): void {
    const look = new Uint8Array((4 * colours.length) / 3);
    for (let at = 0, from = 0; at < look.length; at += 4, from += 3) {
      look[at] = colours[from]!;
      look[at + 1] = colours[from + 1]!;
      look[at + 2] = colours[from + 2]!;
      look[at + 3] = chosen === null ? USUAL : chosen[at / 4] === 1 ? CHOSEN : FAINT;
    }
    this.#fill(this.#buffers.look, look);
    this.#draw();
  }

  setLinks(links: readonly (readonly [number, number])[], [red, green, blue]: Colour): void {
    this.#links = links;
    const ends = links.flat();
    const places = new Float32Array(2 * ends.length);
    const look = new Uint8Array(4 * ends.length);
    ends.forEach((end, at) => {
      places.set(this.#places.subarray(2 * end, 2 * end + 2), 2 * at);
      look.set([red, green, blue, 150], 4 * at);
    });
    this.#linkEnds = ends.length;
    this.#fill(this.#buffers.linkPlace, places);
    this.#fill(this.#buffers.linkLook, look);
    this.#draw();
  }

  /** Call when the canvas has another size. */
  resize(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    this.#size = { clientWidth, clientHeight };
    this.#canvas.width = Math.round(clientWidth * devicePixelRatio);
    this.#canvas.height = Math.round(clientHeight * devicePixelRatio);
    this.#measure();
    this.#draw();
  }

  /** Shows all points. */
  fit(): void {
    this.look(this.#measure());
  }

  /** The view of all points, with room for their names. */
  #measure(): Camera {
    const sides = [0, 1].map((side) => {
      let [low, high] = [Infinity, -Infinity];
      for (let at = side; at < this.#places.length; at += 2) {
        low = Math.min(low, this.#places[at]!);
        high = Math.max(high, this.#places[at]!);
      }
      return low <= high ? { middle: (low + high) / 2, span: high - low } : { middle: 0, span: 0 };
    });
    const [{ middle: x, span: width }, { middle: y, span: height }] = sides as [
      (typeof sides)[number],
      (typeof sides)[number],
    ];
    const { clientWidth, clientHeight } = this.#size;
    this.#whole = 0.86 * Math.min(clientWidth / Math.max(width, 0.1), clientHeight / Math.max(height, 0.1));
    return { x, y, scale: this.#whole };
  }

  look(camera: Camera): void {
    this.#camera = { ...camera, scale: Math.max(this.#whole / 3, Math.min(MAX_SCALE, camera.scale)) };
    this.#draw();
  }

  /** Moves the picture by pixels. */
  pan(x: number, y: number): void {
    const { x: left, y: low, scale } = this.#camera;
    this.look({ x: left - x / scale, y: low + y / scale, scale });
  }

  /** Magnifies around a pixel, which stays where it is. */
  zoom(factor: number, x: number, y: number): void {
    const before = this.at(x, y);
    this.look({ ...this.#camera, scale: this.#camera.scale * factor });
    const after = this.at(x, y);
    this.look({
      ...this.#camera,
      x: this.#camera.x + before[0] - after[0],
      y: this.#camera.y + before[1] - after[1],
    });
  }

  /** The point of the plane at a pixel. */
  at(x: number, y: number): readonly [number, number] {
    const { x: middle, y: height, scale } = this.#camera;
    const { clientWidth, clientHeight } = this.#size;
    return [middle + (x - clientWidth / 2) / scale, height - (y - clientHeight / 2) / scale];
  }

  /** Where a place of the plane is on the canvas, in pixels. */
  pixelOf(x: number, y: number): readonly [number, number] {
    const { x: middle, y: height, scale } = this.#camera;
    const { clientWidth, clientHeight } = this.#size;
    return [clientWidth / 2 + (x - middle) * scale, clientHeight / 2 - (y - height) * scale];
  }

  /** The point nearest to a pixel, or null where none is near. */
  pick(x: number, y: number): number | null {
    const [left, low] = this.at(x, y);
    let best: number | null = null;
    let least = (Math.max(REACH, this.pointSize / 2 + 2) / this.#camera.scale) ** 2;
    for (let at = 0; at < this.#places.length / 2; at += 1) {
      const distance = (this.#places[2 * at]! - left) ** 2 + (this.#places[2 * at + 1]! - low) ** 2;
      if (distance < least) [best, least] = [at, distance];
    }
    return best;
  }

  /** Position in the links of the one nearest to a pixel, or null where none is near. */
  pickLink(x: number, y: number): number | null {
    const [left, low] = this.at(x, y);
    let best: number | null = null;
    let least = (LINE_REACH / this.#camera.scale) ** 2;
    for (const [at, [a, b]] of this.#links.entries()) {
      const [ax, ay] = [this.#places[2 * a]!, this.#places[2 * a + 1]!];
      const [dx, dy] = [this.#places[2 * b]! - ax, this.#places[2 * b + 1]! - ay];
      const along = ((left - ax) * dx + (low - ay) * dy) / (dx * dx + dy * dy || 1);
      const near = Math.max(0, Math.min(1, along));
      const distance = (ax + near * dx - left) ** 2 + (ay + near * dy - low) ** 2;
      if (distance < least) [best, least] = [at, distance];
    }
    return best;
  }

  /** Whether a point is in the picture. */
  sees(point: number): boolean {
    const { x, y, scale } = this.#camera;
    const { clientWidth, clientHeight } = this.#size;
    return (
      Math.abs(this.#places[2 * point]! - x) * scale <= clientWidth / 2 &&
      Math.abs(this.#places[2 * point + 1]! - y) * scale <= clientHeight / 2
    );
  }

  close(): void {
    cancelAnimationFrame(this.#pending);
    this.#gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  #fill(buffer: WebGLBuffer, values: Float32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>): void {
    this.#gl.bindBuffer(this.#gl.ARRAY_BUFFER, buffer);
    this.#gl.bufferData(this.#gl.ARRAY_BUFFER, values, this.#gl.STATIC_DRAW);
  }

  /** At most once per frame. */
  #draw(): void {
    if (this.#pending !== 0) return;
    this.#pending = requestAnimationFrame(() => {
      this.#pending = 0;
      const gl = this.#gl;
      const { width, height } = this.#canvas;
      gl.viewport(0, 0, width, height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      const { place, look, linkPlace, linkLook } = this.#buffers;
      if (this.#linkEnds > 0) this.#drawWith(this.#lines, linkPlace, linkLook, gl.LINES, this.#linkEnds);
      this.#drawWith(this.#points, place, look, gl.POINTS, this.#places.length / 2);
      this.#onFrame(this.#camera);
    });
  }

  #drawWith(used: WebGLProgram, place: WebGLBuffer, look: WebGLBuffer, mode: number, count: number): void {
    const gl = this.#gl;
    const { x, y, scale } = this.#camera;
    const { clientWidth, clientHeight } = this.#size;
    gl.useProgram(used);
    gl.bindBuffer(gl.ARRAY_BUFFER, place);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, look);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.uniform2f(gl.getUniformLocation(used, 'middle'), x, y);
    gl.uniform2f(
      gl.getUniformLocation(used, 'stretch'),
      (2 * scale) / clientWidth,
      (2 * scale) / clientHeight,
    );
    gl.uniform1f(gl.getUniformLocation(used, 'size'), this.pointSize * devicePixelRatio);
    gl.drawArrays(mode, 0, count);
  }
}

function program(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const made = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS))
    throw new Error(`The map cannot be drawn here: ${gl.getProgramInfoLog(made)}`);
  return made;
}

/** Whether a polygon encloses a point, by the even-odd rule. */
export function encloses(corners: readonly (readonly [number, number])[], x: number, y: number): boolean {
  let inside = false;
  corners.forEach(([ax, ay], at) => {
    const [bx, by] = corners[(at + 1) % corners.length]!;
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  });
  return inside;
}
