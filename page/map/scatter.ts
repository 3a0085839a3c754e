/**
 * Points in WebGL 2: draws tens of thousands in one call, and moves and picks them. Not
 * regl-scatterplot: regl compiles its commands with `Function`, which the page's content security policy refuses.
 */

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
/** What the map is drawn on. */
const GROUND = [14 / 255, 16 / 255, 20 / 255, 1] as const;
/** Opacity of a point that is in no selection, of one without any selection, and of a selected one. */
const FAINT = 70;
const USUAL = 150;
const CHOSEN = 255;
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
  readonly #gl: WebGL2RenderingContext;
  readonly #program: WebGLProgram;
  readonly #buffers: { readonly place: WebGLBuffer; readonly look: WebGLBuffer };
  readonly #onFrame: (camera: Camera) => void;
  #places = new Float32Array();
  /** Middle and width of each side of the picture of all. */
  #spans: readonly [Span, Span] = [
    [0, 0],
    [0, 0],
  ];
  #camera: Camera = { x: 0, y: 0, scale: 300 };
  /** Scale at which all points are seen. */
  #whole = 300;
  #pending = 0;
  /** Pixels at the left that something else covers. */
  #inset = 0;
  /** Of the canvas: asking it for each point of a large map takes longer than drawing. */
  #size = { clientWidth: 0, clientHeight: 0 };

  /** Throws where the browser has no WebGL 2. `onFrame` is called with each drawn frame, to move what lies on top. */
  constructor(canvas: HTMLCanvasElement, onFrame: (camera: Camera) => void) {
    const gl = canvas.getContext('webgl2', { antialias: false, alpha: false });
    if (gl === null) throw new Error('This browser has no WebGL 2, which the map needs.');
    this.#canvas = canvas;
    this.#gl = gl;
    this.#onFrame = onFrame;
    this.#program = program(gl, POINTS, DISC);
    this.#buffers = { place: gl.createBuffer(), look: gl.createBuffer() };
    gl.enable(gl.BLEND);
    // Light adds up on the dark ground: where much lies, it glows.
    gl.blendFunc(gl.ONE, gl.ONE);
  }

  get camera(): Camera {
    return this.#camera;
  }

  get inset(): number {
    return this.#inset;
  }

  get width(): number {
    return this.#size.clientWidth;
  }

  get height(): number {
    return this.#size.clientHeight;
  }

  /** What is covered at the left; what is seen stays where it is, but for a picture of all. */
  set inset(inset: number) {
    const isWhole = this.isWhole;
    const moved = (inset - this.#inset) / 2 / this.#camera.scale;
    this.#inset = inset;
    const whole = this.#measure();
    this.look(isWhole ? whole : { ...this.#camera, x: this.#camera.x + moved });
  }

  get isWhole(): boolean {
    return Math.abs(this.magnification - 1) < 1e-6;
  }

  /** x and y of each point. */
  setPlaces(places: Float32Array<ArrayBuffer>): void {
    this.#places = places;
    this.#spans = [measureSpan(places, 0), measureSpan(places, 1)];
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
    const [[x, width], [y, height]] = this.#spans;
    const { clientWidth, clientHeight } = this.#size;
    const room = Math.max(1, clientWidth - this.#inset);
    this.#whole = 0.9 * Math.min(room / Math.max(width, 0.1), clientHeight / Math.max(height, 0.1));
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
    return [middle + (x - (clientWidth + this.#inset) / 2) / scale, height - (y - clientHeight / 2) / scale];
  }

  /** Where a place of the plane is on the canvas, in pixels. */
  pixelOf(x: number, y: number): readonly [number, number] {
    const { x: middle, y: height, scale } = this.#camera;
    const { clientWidth, clientHeight } = this.#size;
    return [(clientWidth + this.#inset) / 2 + (x - middle) * scale, clientHeight / 2 - (y - height) * scale];
  }

  /** The point nearest to a pixel, or null where none is near. */
  pick(x: number, y: number): number | null {
    return this.#nearest(x, y, Math.max(REACH, this.pointSize / 2 + 2));
  }

  /** The pixel to magnify around: of the point nearest to the middle, so that an empty middle does not push all points out. */
  get focus(): readonly [number, number] {
    const { clientWidth, clientHeight } = this.#size;
    const middle = [(clientWidth + this.#inset) / 2, clientHeight / 2] as const;
    const near = this.#nearest(...middle, Number.POSITIVE_INFINITY);
    if (near === null || !this.sees(near)) return middle;
    return this.pixelOf(this.#places[2 * near]!, this.#places[2 * near + 1]!);
  }

  /** `reach` in pixels. */
  #nearest(x: number, y: number, reach: number): number | null {
    const [left, low] = this.at(x, y);
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
    const { clientWidth, clientHeight } = this.#size;
    return (
      Math.abs(this.#places[2 * point]! - x) * scale <= (clientWidth - this.#inset) / 2 &&
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
      gl.clearColor(...GROUND);
      gl.clear(gl.COLOR_BUFFER_BIT);
      this.#drawPoints();
      this.#onFrame(this.#camera);
    });
  }

  #drawPoints(): void {
    const gl = this.#gl;
    const { x, y, scale } = this.#camera;
    const { clientWidth, clientHeight } = this.#size;
    gl.useProgram(this.#program);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers.place);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers.look);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.uniform2f(gl.getUniformLocation(this.#program, 'middle'), x - this.#inset / 2 / scale, y);
    gl.uniform2f(
      gl.getUniformLocation(this.#program, 'stretch'),
      (2 * scale) / clientWidth,
      (2 * scale) / clientHeight,
    );
    gl.uniform1f(gl.getUniformLocation(this.#program, 'size'), this.pointSize * devicePixelRatio);
    gl.drawArrays(gl.POINTS, 0, this.#places.length / 2);
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
