/** The drawing of the map: moved and magnified by mouse, wheel, fingers, keys and buttons; a click or Enter opens what is there. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { counted, Foreign, Origin } from '../parts.tsx';
import { Labels, type Lit } from './labels.ts';
import type { Points } from './points.ts';
import { type Camera, Scatter } from './scatter.ts';

/** How far an arrow key moves the map, pixels, and how much + magnifies it. */
const STEP = 80;
const MAGNIFY = 1.5;
/** A pointer that moved less, pixels, clicked. */
const CLICK = 4;
/** The picture is said to be still after this time, ms. */
const STILL_MS = 250;

type Pixel = readonly [x: number, y: number];

interface PlaneProperties {
  readonly map: Points;
  /** Drawn in full strength; null for all. */
  readonly chosen: readonly number[] | null;
  /** Named in any case. */
  readonly lit: Lit;
  /** What pulses: the item of a list under the pointer. */
  readonly pulsing: number | null;
  /** What is seen; null for all. */
  readonly camera: Camera | null;
  readonly onHover: (at: number | null) => void;
  readonly onOpen: (at: number) => void;
  readonly onPlace: (label: string) => void;
  /** Called when the picture is still; null where all is seen. `seen` says whether a point is in it. */
  readonly onStill: (camera: Camera | null, seen: (at: number) => boolean) => void;
}

export function Plane(properties: PlaneProperties) {
  const { map, chosen, lit, pulsing, camera, onHover, onOpen, onPlace } = properties;
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ scatter: Scatter; labels: Labels } | null>(null);
  const latest = useRef(properties);
  latest.current = properties;
  const [hovered, setHovered] = useState<number | null>(null);
  const pointers = useRef(new Map<number, Pixel>());
  const gesture = useRef<{ from: Pixel; moved: boolean } | null>(null);
  const scatter = () => drawn.current?.scatter ?? null;

  useEffect(() => {
    if (canvas.current === null || layer.current === null) return;
    let waiting: ReturnType<typeof setTimeout>;
    const labels = new Labels(layer.current);
    const made = new Scatter(canvas.current, (now) => {
      labels.place(made);
      clearTimeout(waiting);
      waiting = setTimeout(
        () => latest.current.onStill(made.isWhole ? null : now, (at) => made.sees(at)),
        STILL_MS,
      );
    });
    drawn.current = { scatter: made, labels };
    const watching = new ResizeObserver(() => made.resize());
    watching.observe(canvas.current);
    made.resize();
    return () => {
      clearTimeout(waiting);
      watching.disconnect();
      made.close();
      drawn.current = null;
    };
  }, []);
  useEffect(() => {
    const { scatter: made, labels } = drawn.current ?? {};
    if (made === undefined || labels === undefined) return;
    const isFirst = labels.isEmpty;
    const { isWhole } = made;
    labels.setMap(map);
    made.setPoints(map.places, map.colours);
    if (isFirst && camera !== null) made.look(camera);
    else if (isFirst || isWhole) made.fit();
  }, [map]);
  // The address asks for another picture: back, or a place that was chosen.
  const wanted = camera === null ? '' : cameraText(camera);
  useEffect(() => {
    const made = scatter();
    if (made === null) return;
    if (camera === null && !made.isWhole) made.fit();
    else if (camera !== null && cameraText(made.camera) !== wanted) made.look(camera);
  }, [wanted]);
  useEffect(() => {
    const named = pulsing === null || lit.has(pulsing) ? lit : new Map([...lit, [pulsing, null]]);
    drawn.current?.labels.setLit(
      hovered === null || named.has(hovered) ? named : new Map([...named, [hovered, null]]),
    );
    scatter()?.choose(chosen);
  }, [chosen, lit, pulsing, hovered, map]);
  useEffect(() => onHover(hovered), [hovered]);

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0 || !(event.currentTarget instanceof Element)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = toPixel(event);
    pointers.current.set(event.pointerId, at);
    gesture.current = { from: at, moved: pointers.current.size > 1 };
  };
  const onMove = (event: PointerEvent) => {
    const at = toPixel(event);
    const active = gesture.current;
    if (active === null) {
      // A click there means the place; the name of a skill below would push the place's name away.
      const isPlace = drawn.current?.labels.at(...at)?.place !== undefined;
      setHovered(isPlace ? null : (scatter()?.pick(...at) ?? null));
      return;
    }
    active.moved ||= Math.hypot(at[0] - active.from[0], at[1] - active.from[1]) >= CLICK;
    const before = spread(pointers.current);
    pointers.current.set(event.pointerId, at);
    const now = spread(pointers.current);
    if (!active.moved) return;
    scatter()?.pan(now.x - before.x, now.y - before.y);
    if (before.width > 0) scatter()?.zoom(now.width / before.width, now.x, now.y);
  };
  const onUp = (event: PointerEvent) => {
    const active = gesture.current;
    pointers.current.delete(event.pointerId);
    if (active === null || pointers.current.size > 0) return;
    gesture.current = null;
    if (active.moved || event.type === 'pointercancel') return;
    const label = drawn.current?.labels.at(...active.from);
    const at = label?.at ?? scatter()?.pick(...active.from) ?? null;
    if (label?.place !== undefined) onPlace(label.place);
    else if (at !== null) onOpen(at);
  };
  const magnify = (factor: number) => {
    const made = scatter();
    made?.zoom(factor, ...made.focus);
  };
  /** n and p go through what is seen, from left to right, and Enter opens it: no point needs a pointer. */
  const step = (by: number) => {
    const made = scatter();
    if (made === null) return;
    const seen = Array.from({ length: map.size }, (_, at) => at)
      .filter((at) => made.sees(at))
      .sort((a, b) => map.places[2 * a]! - map.places[2 * b]!);
    const at = hovered === null ? (by > 0 ? 0 : -1) : seen.indexOf(hovered) + by;
    setHovered(seen.at(at % seen.length) ?? null);
  };
  const onKey = (event: KeyboardEvent) => {
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => scatter()?.pan(STEP, 0),
      ArrowRight: () => scatter()?.pan(-STEP, 0),
      ArrowUp: () => scatter()?.pan(0, STEP),
      ArrowDown: () => scatter()?.pan(0, -STEP),
      '+': () => magnify(MAGNIFY),
      '=': () => magnify(MAGNIFY),
      '-': () => magnify(1 / MAGNIFY),
      '0': () => scatter()?.fit(),
      n: () => step(1),
      p: () => step(-1),
      Enter: () => hovered !== null && onOpen(hovered),
    };
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  };
  const ring = pulsing ?? hovered;
  return (
    <div class="plane">
      <div
        class="pad"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys itself, as its label says.
        tabIndex={0}
        role="application"
        aria-label={`Map of ${counted(map.size, 'skill')}. Arrows move it, plus and minus magnify, n and p go through its skills, Enter opens one.`}
        onKeyDown={onKey}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerCancel={onUp}
        onPointerLeave={() => setHovered(null)}
        onWheel={(event) => {
          event.preventDefault();
          scatter()?.zoom(Math.exp(-event.deltaY / 400), ...toPixel(event));
        }}
      >
        <canvas ref={canvas} />
        <div
          class={ring === null ? 'labels' : 'labels pulsing'}
          data-pulsing={ring}
          ref={layer}
          aria-hidden="true"
        />
        <p class="hovered" role="status">
          {hovered !== null && (
            <>
              <b>
                <Foreign text={map.nameOf(hovered)} />
              </b>{' '}
              <Origin id={map.ids[hovered]!} />
            </>
          )}
        </p>
      </div>
      <p class="zoom">
        <button type="button" aria-label="Larger" onClick={() => magnify(MAGNIFY)}>
          +
        </button>
        <button type="button" aria-label="Smaller" onClick={() => magnify(1 / MAGNIFY)}>
          −
        </button>
        <button type="button" onClick={() => scatter()?.fit()}>
          All
        </button>
      </p>
    </div>
  );
}

export const cameraText = ({ x, y, scale }: Camera): string =>
  [x.toFixed(4), y.toFixed(4), scale.toFixed(0)].join();

/** The middle of all pointers, and how far they are from it: what they move together, and magnify. */
function spread(pointers: ReadonlyMap<number, Pixel>) {
  const all = [...pointers.values()];
  const mean = (side: 0 | 1) => all.reduce((sum, at) => sum + at[side], 0) / all.length;
  const [x, y] = [mean(0), mean(1)];
  return { x, y, width: all.reduce((sum, at) => sum + Math.hypot(at[0] - x, at[1] - y), 0) };
}

/** A pointer's place on the plane, pixels. */
function toPixel(event: PointerEvent | WheelEvent): Pixel {
  const box = event.currentTarget instanceof Element ? event.currentTarget.getBoundingClientRect() : null;
  return [event.clientX - (box?.left ?? 0), event.clientY - (box?.top ?? 0)];
}
