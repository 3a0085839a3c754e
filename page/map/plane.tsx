/** The drawing of the map: moved and magnified by mouse, wheel, fingers, keys and buttons; a lasso and a click choose. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { amountColour, isDark } from '../colours.ts';
import { counted, Foreign, Problem } from '../parts.tsx';
import { RED } from './kinds.ts';
import { Labels } from './labels.ts';
import type { Counts, Points } from './points.ts';
import { type Camera, Scatter } from './scatter.ts';

/** How far an arrow key moves the map, pixels, and how much + magnifies it. */
const STEP = 80;
const MAGNIFY = 1.35;
/** A pointer that moved less, pixels, clicked. */
const CLICK = 4;
/** The address follows the picture after it stood still for this time, ms. */
const STILL_MS = 250;

export type Corner = readonly [x: number, y: number];

interface PlaneProperties {
  readonly map: Points;
  readonly use: Counts | null;
  readonly colours: Uint8Array;
  readonly chosen: readonly number[] | null;
  /** Named in any case, with their ranks in a search. */
  readonly marked: ReadonlyMap<number, number | null>;
  readonly links: readonly (readonly [number, number])[] | null;
  /** What is seen at first; null for all. */
  readonly start: Camera | null;
  /** No point chooses none; two are the ends of a line. */
  readonly onChoose: (points: readonly number[]) => void;
  readonly onLasso: (corners: readonly Corner[]) => void;
  /** Called when the picture stands still; null where all is seen. */
  readonly onStill: (camera: Camera | null, scatter: Scatter) => void;
}

export function Plane({
  map,
  use,
  colours,
  chosen,
  marked,
  links,
  start,
  onChoose,
  onLasso,
  onStill,
}: PlaneProperties) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ scatter: Scatter; labels: Labels } | null>(null);
  const scatter = () => drawn.current?.scatter ?? null;
  const still = useRef(onStill);
  still.current = onStill;
  const [problem, setProblem] = useState<string | null>(null);
  const [hovered, setHovered] = useState<{ at: number; x: number; y: number } | null>(null);
  const [outline, setOutline] = useState<readonly Corner[]>([]);
  const pointers = useRef(new Map<number, Corner>());
  const gesture = useRef<{ from: Corner; moved: boolean; lasso: Corner[] | null } | null>(null);

  useEffect(() => {
    if (canvas.current === null || layer.current === null) return;
    let waiting: ReturnType<typeof setTimeout>;
    try {
      const labels = new Labels(layer.current);
      const made = new Scatter(canvas.current, (camera) => {
        labels.place(made);
        clearTimeout(waiting);
        waiting = setTimeout(() => still.current(made.magnification === 1 ? null : camera, made), STILL_MS);
      });
      drawn.current = { scatter: made, labels };
      const watching = new ResizeObserver(() => {
        const wasWhole = made.magnification === 1;
        made.resize();
        if (wasWhole) made.fit();
      });
      watching.observe(canvas.current);
      made.resize();
      return () => {
        clearTimeout(waiting);
        watching.disconnect();
        made.close();
        drawn.current = null;
      };
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, []);
  useEffect(() => {
    const isFirst = drawn.current?.labels.isEmpty ?? true;
    drawn.current?.labels.setMap(map, use);
    scatter()?.setPlaces(map.places);
    if (!isFirst) return;
    if (start === null) scatter()?.fit();
    else scatter()?.look(start);
  }, [map, use]);
  useEffect(() => {
    const marks = chosen === null ? null : new Uint8Array(map.size);
    for (const at of chosen ?? []) marks![at] = 1;
    drawn.current?.labels.setMarked(marked);
    scatter()?.setLook(colours, marks);
  }, [colours, chosen, marked, map]);
  useEffect(
    () => scatter()?.setLinks(links ?? [], amountColour(1, RED, isDark.value)),
    [links, map, isDark.value],
  );

  if (problem !== null) return <Problem>{problem}</Problem>;

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0 || !(event.currentTarget instanceof Element)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = pixelOf(event);
    pointers.current.set(event.pointerId, at);
    gesture.current = {
      from: at,
      moved: pointers.current.size > 1,
      lasso: event.shiftKey && pointers.current.size === 1 ? [at] : null,
    };
  };
  const onMove = (event: PointerEvent) => {
    const at = pixelOf(event);
    const before = pointers.current.get(event.pointerId);
    const active = gesture.current;
    if (before === undefined || active === null) {
      const point = scatter()?.pick(...at) ?? null;
      setHovered(point === null ? null : { at: point, x: at[0], y: at[1] });
      return;
    }
    setHovered(null);
    active.moved ||= Math.hypot(at[0] - active.from[0], at[1] - active.from[1]) >= CLICK;
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, at);
    if (active.lasso !== null) {
      active.lasso.push(at);
      setOutline([...active.lasso]);
    } else if (other === undefined) {
      if (active.moved) scatter()?.pan(at[0] - before[0], at[1] - before[1]);
    } else pinch(scatter(), before, at, other);
  };
  const onUp = (event: PointerEvent) => {
    const active = gesture.current;
    pointers.current.delete(event.pointerId);
    if (active === null || pointers.current.size > 0) return;
    gesture.current = null;
    setOutline([]);
    const current = scatter();
    if (current === null) return;
    if (active.moved && active.lasso !== null) return onLasso(active.lasso.map(([x, y]) => current.at(x, y)));
    if (active.moved) return;
    const point = current.pick(...active.from);
    const link = point === null && links !== null ? current.pickLink(...active.from) : null;
    onChoose(point !== null ? [point] : link !== null ? links![link]! : []);
  };
  const magnify = (factor: number) => {
    const { clientWidth = 0, clientHeight = 0 } = canvas.current ?? {};
    scatter()?.zoom(factor, clientWidth / 2, clientHeight / 2);
  };
  return (
    <div class="plane">
      <div
        class="pad"
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerCancel={onUp}
        onPointerLeave={() => setHovered(null)}
        onWheel={(event) => {
          event.preventDefault();
          scatter()?.zoom(Math.exp(-event.deltaY / 400), ...pixelOf(event));
        }}
      >
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={`Map of ${counted(map.size, 'skill')} in ${counted(map.themes.length, 'theme')}. The legend chooses themes by keyboard.`}
          onKeyDown={(event) => moveByKey(event, scatter(), magnify)}
        />
        <div class="labels" ref={layer} aria-hidden="true" />
        {outline.length > 1 && (
          <svg class="lasso" aria-hidden="true">
            <polygon points={outline.map((corner) => corner.join(',')).join(' ')} />
          </svg>
        )}
        {hovered !== null && (
          <div class="hover" style={{ left: `${hovered.x + 14}px`, top: `${hovered.y + 14}px` }}>
            <b>
              <Foreign text={map.nameOf(hovered.at)} />
            </b>
            <code>
              <Foreign text={map.ids[hovered.at]!} />
            </code>
          </div>
        )}
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

/** A finger moves while another one rests: the map follows both. */
function pinch(scatter: Scatter | null, before: Corner, now: Corner, other: Corner): void {
  const gap = (a: Corner) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
  const middle = (a: Corner): Corner => [(a[0] + other[0]) / 2, (a[1] + other[1]) / 2];
  const [x, y] = middle(now);
  const [oldX, oldY] = middle(before);
  scatter?.pan(x - oldX, y - oldY);
  scatter?.zoom(gap(now) / gap(before), x, y);
}

/** A pointer's place on the plane, pixels. */
function pixelOf(event: PointerEvent | WheelEvent): Corner {
  const box = event.currentTarget instanceof Element ? event.currentTarget.getBoundingClientRect() : null;
  return [event.clientX - (box?.left ?? 0), event.clientY - (box?.top ?? 0)];
}

function moveByKey(event: KeyboardEvent, scatter: Scatter | null, magnify: (factor: number) => void): void {
  if (scatter === null) return;
  const moves: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => scatter.pan(STEP, 0),
    ArrowRight: () => scatter.pan(-STEP, 0),
    ArrowUp: () => scatter.pan(0, STEP),
    ArrowDown: () => scatter.pan(0, -STEP),
    '+': () => magnify(MAGNIFY),
    '=': () => magnify(MAGNIFY),
    '-': () => magnify(1 / MAGNIFY),
    '0': () => scatter.fit(),
  };
  const move = moves[event.key];
  if (move === undefined) return;
  event.preventDefault();
  move();
}
