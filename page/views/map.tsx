/** All skills in the plane: what lies together means the same. Themes, sources, use, collisions; a lasso makes a list. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SkillMap } from '../../extensions/explore/api.ts';
import { amountColour, categoryColour, css, isDark } from '../colours.ts';
import { download } from '../download.ts';
import { useAnswer } from '../load.ts';
import { count, counted, Problem, SkillId } from '../parts.tsx';
import { addressOf } from '../route.ts';
import { type Colour, Scatter } from '../scatter.ts';

/** How often the page asks for a map that is being computed, ms. */
const AGAIN_MS = 700;
/** Skills of a selection that are listed; the export has all. */
const LISTED = 200;
/** Entries of the legend. */
const MAX_KINDS = 24;
/** How far an arrow key moves the map, pixels, and how much + magnifies it. */
const STEP = 80;
const MAGNIFY = 1.35;
const RED = 28;
const AMBER = 75;
const GREEN = 150;
/** Loads from which a skill counts as loaded often. */
const OFTEN = 5;

const COLOURINGS = { theme: 'Theme', source: 'Source', remarks: 'Suspicious passages', use: 'Use' } as const;
const NO_USE = 'Use needs an audit log with a search or a load: set telemetry.audit to a file.';
type Colouring = keyof typeof COLOURINGS;

export default function MapView() {
  const { answer, error } = useAnswer(
    'map',
    {},
    {
      againMs: (map) =>
        map.state === 'working' || (map.state === 'done' && map.result.links === null) ? AGAIN_MS : null,
    },
  );
  if (error !== null) return <Problem>{error}</Problem>;
  if (answer === null) return <p class="quiet">Loading the map…</p>;
  if (answer.state === 'failed') return <Problem>{answer.reason}</Problem>;
  if (answer.state === 'working') return <Working share={answer.share} />;
  return <Drawn map={answer.result} />;
}

function Working({ share }: { share: number }) {
  const percent = Math.round(100 * share);
  return (
    <section class="working">
      <h1>The map is being drawn</h1>
      <p class="quiet">
        Once for each version of the catalog; then it is kept. Searches do not wait for it, and you can go on
        in the other views.
      </p>
      <progress value={percent} max={100} aria-label="Progress of the map" />
      <p class="quiet">{percent} %</p>
    </section>
  );
}

function Drawn({ map }: { map: SkillMap }) {
  const [colouring, setColouring] = useState<Colouring>('theme');
  const [withLinks, setWithLinks] = useState(false);
  const [chosen, setChosen] = useState<readonly number[] | null>(null);
  const [wanted, setWanted] = useState('');
  const found = useMemo(() => namesWith(map, wanted), [map, wanted]);
  const shown = chosen ?? found;
  const kinds = useMemo(() => kindsOf(map, colouring), [map, colouring]);
  return (
    <>
      <div class="map-tools">
        <h1 class="unseen">Map</h1>
        <fieldset class="choice">
          <legend>Colour</legend>
          {Object.entries(COLOURINGS).map(([name, title]) => (
            <label key={name} title={name === 'use' && map.use === null ? NO_USE : undefined}>
              <input
                type="radio"
                name="colouring"
                checked={colouring === name}
                disabled={name === 'use' && map.use === null}
                onChange={() => setColouring(name as Colouring)}
              />
              {title}
            </label>
          ))}
        </fieldset>
        <label class="check">
          <input
            type="checkbox"
            checked={withLinks}
            disabled={map.links === null}
            onChange={({ currentTarget }) => setWithLinks(currentTarget.checked)}
          />
          {map.links === null ? 'Collisions are being found' : counted(map.links.length, 'collision')}
        </label>
        <label class="find">
          <span class="unseen">Find by name</span>
          <input
            type="search"
            placeholder="Find by name"
            value={wanted}
            onInput={({ currentTarget }) => {
              setWanted(currentTarget.value);
              setChosen(null);
            }}
          />
        </label>
        <p class="quiet" role="status">
          {shown === null ? counted(map.ids.length, 'skill') : `${count(shown.length)} chosen`}
        </p>
      </div>
      <div class="map-layout">
        <Plane
          map={map}
          colours={kinds.colours}
          chosen={shown}
          links={withLinks ? map.links : null}
          onChoose={(points) => setChosen(points)}
        />
        <aside class="map-side" aria-label="Legend and selection">
          {shown === null ? (
            <Legend kinds={kinds.entries} onChoose={setChosen} />
          ) : (
            <Selection
              map={map}
              points={shown}
              onClear={() => {
                setChosen(null);
                setWanted('');
              }}
            />
          )}
        </aside>
      </div>
    </>
  );
}

function namesWith({ names }: SkillMap, wanted: string): readonly number[] | null {
  const text = wanted.trim().toLowerCase();
  if (text === '') return null;
  return names.flatMap((name, at) => (name.toLowerCase().includes(text) ? at : []));
}

interface Kind {
  readonly label: string;
  readonly colour: Colour;
  readonly points: readonly number[];
}

/** How a colouring groups the points: the group of each, and label and colour of a group. */
interface Grouping {
  readonly of: (at: number) => number;
  readonly label: (group: number) => string;
  /** `rank` is that of the group by size, from 0. */
  readonly colour: (group: number, rank: number) => Colour;
}

function groupingOf(map: SkillMap, colouring: Colouring, dark: boolean): Grouping {
  const grey = amountColour(0, 0, dark);
  const byRank = (_: number, rank: number) => categoryColour(rank, dark);
  switch (colouring) {
    case 'theme':
      return { of: (at) => map.themeOf[at]!, label: (theme) => map.themes[theme]!.label, colour: byRank };
    case 'source':
      return { of: (at) => map.sourceOf[at]!, label: (source) => map.sources[source]!, colour: byRank };
    case 'remarks':
      return {
        of: (at) => (map.marks[at]! > 0 ? 1 : 0),
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
          const [found = 0, loaded = 0] = [map.use?.found[at], map.use?.loaded[at]];
          return loaded >= OFTEN ? 3 : loaded > 0 ? 2 : found > 0 ? 1 : 0;
        },
        label: (group) => kinds[group]![0],
        colour: (group) => kinds[group]![1],
      };
    }
  }
}

/** The colour of each point, and the legend; what has no entry of its own is grey. */
function kindsOf(map: SkillMap, colouring: Colouring): { colours: Colour[]; entries: readonly Kind[] } {
  const dark = isDark();
  const grouping = groupingOf(map, colouring, dark);
  const groups = new Map<number, number[]>();
  for (let at = 0; at < map.ids.length; at += 1) {
    const group = grouping.of(at);
    const points = groups.get(group);
    if (points === undefined) groups.set(group, [at]);
    else points.push(at);
  }
  const entries = [...groups]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_KINDS)
    .map(([group, points], rank) => ({
      label: grouping.label(group),
      colour: grouping.colour(group, rank),
      points,
    }));
  const colours = new Array<Colour>(map.ids.length).fill(amountColour(0, 0, dark));
  for (const { colour, points } of entries) for (const at of points) colours[at] = colour;
  return { colours, entries };
}

function Legend({
  kinds,
  onChoose,
}: {
  kinds: readonly Kind[];
  onChoose: (points: readonly number[]) => void;
}) {
  return (
    <>
      <h2>Legend</h2>
      <ul class="legend">
        {kinds.map(({ label, colour, points }) => (
          <li key={label}>
            <button type="button" class="plain" onClick={() => onChoose(points)}>
              <span class="swatch" style={{ background: css(colour) }} aria-hidden="true" />
              <span class="legend-label">{label}</span>
              <span class="quiet">{count(points.length)}</span>
            </button>
          </li>
        ))}
      </ul>
      <p class="quiet small">
        Drag to move, scroll to magnify. <kbd>Shift</kbd> and drag draws a lasso. By keyboard: arrows,{' '}
        <kbd>+</kbd>, <kbd>−</kbd>, <kbd>0</kbd> for all.
      </p>
    </>
  );
}

function Selection({
  map,
  points,
  onClear,
}: {
  map: SkillMap;
  points: readonly number[];
  onClear: () => void;
}) {
  const [first] = points;
  const only = points.length === 1 && first !== undefined ? map.ids[first]! : null;
  const card = useAnswer('skill', only === null ? null : { id: only }).answer;
  const list = () =>
    ['id\tname\tsource\ttheme']
      .concat(
        points.map((at) =>
          [
            map.ids[at],
            map.names[at],
            map.sources[map.sourceOf[at]!],
            map.themes[map.themeOf[at]!]?.label,
          ].join('\t'),
        ),
      )
      .join('\n');
  return (
    <>
      <h2>{counted(points.length, 'skill')}</h2>
      <p class="actions">
        <button type="button" onClick={() => download('skills.tsv', `${list()}\n`)}>
          Export as a list
        </button>
        <button type="button" onClick={onClear}>
          Clear
        </button>
      </p>
      {card !== null && (
        <article class="card">
          <h3>{card.name}</h3>
          <p>{card.description}</p>
          <p>
            <a href={addressOf('search', { q: card.description.slice(0, 300) })}>Search for this</a>
          </p>
        </article>
      )}
      <ul class="ids">
        {points.slice(0, LISTED).map((at) => (
          <li key={at}>
            <SkillId id={map.ids[at]!} />
          </li>
        ))}
        {points.length > LISTED && (
          <li class="quiet">and {count(points.length - LISTED)} more in the export</li>
        )}
      </ul>
    </>
  );
}

interface PlaneProperties {
  readonly map: SkillMap;
  readonly colours: readonly Colour[];
  readonly chosen: readonly number[] | null;
  readonly links: SkillMap['links'];
  readonly onChoose: (points: readonly number[] | null) => void;
}

function Plane({ map, colours, chosen, links, onChoose }: PlaneProperties) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const labels = useRef<HTMLDivElement>(null);
  const scatter = useRef<Scatter | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [hovered, setHovered] = useState<{ at: number; x: number; y: number } | null>(null);
  const [outline, setOutline] = useState<readonly (readonly [number, number])[]>([]);

  useEffect(() => {
    if (canvas.current === null) return;
    try {
      const made = new Scatter(canvas.current, () => placeLabels(labels.current, made));
      scatter.current = made;
      const watching = new ResizeObserver(() => made.resize());
      watching.observe(canvas.current);
      made.resize();
      return () => {
        watching.disconnect();
        made.close();
        scatter.current = null;
      };
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, []);
  useEffect(() => scatter.current?.setPlaces(Float32Array.from(map.places)), [map.places]);
  useEffect(() => {
    const marks = chosen === null ? null : new Uint8Array(map.ids.length);
    for (const at of chosen ?? []) marks![at] = 1;
    scatter.current?.setLook(colours, marks);
  }, [colours, chosen, map.places]);
  useEffect(
    () => scatter.current?.setLinks(links ?? [], amountColour(1, RED, isDark())),
    [links, map.places],
  );

  if (problem !== null) return <Problem>{problem}</Problem>;
  return (
    <div
      class="plane"
      onPointerDown={(event) => startDrag(event, scatter.current, setOutline, onChoose)}
      onPointerMove={(event) => {
        const [x, y] = pixelOf(event);
        const at = event.buttons === 0 ? (scatter.current?.pick(x, y) ?? null) : null;
        setHovered(at === null ? null : { at, x, y });
      }}
      onPointerLeave={() => setHovered(null)}
      onWheel={(event) => {
        event.preventDefault();
        const [x, y] = pixelOf(event);
        scatter.current?.zoom(Math.exp(-event.deltaY / 400), x, y);
      }}
    >
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={`Map of ${counted(map.ids.length, 'skill')} in ${counted(map.themes.length, 'theme')}. The legend chooses themes by keyboard.`}
        onKeyDown={(event) => moveByKey(event, scatter.current)}
      />
      <div class="labels" ref={labels} aria-hidden="true">
        {map.themes.map(({ label, x, y }) => (
          <span key={label} data-x={x} data-y={y}>
            {label}
          </span>
        ))}
      </div>
      {outline.length > 1 && (
        <svg class="lasso" aria-hidden="true">
          <polygon points={outline.map((corner) => corner.join(',')).join(' ')} />
        </svg>
      )}
      {hovered !== null && (
        <div class="hover" style={{ left: `${hovered.x + 14}px`, top: `${hovered.y + 14}px` }}>
          <b>{map.names[hovered.at]}</b>
          <SkillId id={map.ids[hovered.at]!} />
        </div>
      )}
    </div>
  );
}

/** Labels in order of size; one that would cover a larger theme's label is left out at this magnification. */
function placeLabels(container: HTMLElement | null, scatter: Scatter): void {
  const taken: DOMRect[] = [];
  for (const label of container?.querySelectorAll<HTMLElement>('span') ?? []) {
    const [x, y] = scatter.pixelOf(Number(label.dataset.x), Number(label.dataset.y));
    const width = label.offsetWidth;
    const height = label.offsetHeight;
    const box = new DOMRect(x - width / 2 - 6, y - height / 2 - 3, width + 12, height + 6);
    const isFree = taken.every(
      (other) =>
        box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom,
    );
    label.style.transform = `translate(${x - width / 2}px, ${y - height / 2}px)`;
    label.style.visibility = isFree ? 'visible' : 'hidden';
    if (isFree) taken.push(box);
  }
}

/** A pointer's place on the plane, pixels. */
function pixelOf(event: PointerEvent | WheelEvent): readonly [number, number] {
  const target = event.currentTarget instanceof Element ? event.currentTarget : null;
  const box = target?.getBoundingClientRect();
  return [event.clientX - (box?.left ?? 0), event.clientY - (box?.top ?? 0)];
}

/** Drag moves the map; with Shift it draws a lasso; without a move it chooses the point. */
function startDrag(
  down: PointerEvent,
  scatter: Scatter | null,
  setOutline: (outline: readonly (readonly [number, number])[]) => void,
  onChoose: PlaneProperties['onChoose'],
): void {
  const plane = down.currentTarget;
  if (!(plane instanceof HTMLElement) || scatter === null || down.button !== 0) return;
  const box = plane.getBoundingClientRect();
  const outline: (readonly [number, number])[] = [pixelOf(down)];
  let [lastX, lastY] = [down.clientX, down.clientY];
  let moved = false;
  const onMove = (move: PointerEvent) => {
    moved ||= Math.hypot(move.clientX - down.clientX, move.clientY - down.clientY) > 3;
    if (down.shiftKey) {
      outline.push([move.clientX - box.left, move.clientY - box.top]);
      setOutline([...outline]);
    } else scatter.pan(move.clientX - lastX, move.clientY - lastY);
    [lastX, lastY] = [move.clientX, move.clientY];
  };
  const onUp = () => {
    removeEventListener('pointermove', onMove);
    removeEventListener('pointerup', onUp);
    setOutline([]);
    if (moved && down.shiftKey) onChoose(scatter.inside(outline));
    else if (!moved) {
      const at = scatter.pick(...outline[0]!);
      if (at !== null) onChoose([at]);
    }
  };
  addEventListener('pointermove', onMove);
  addEventListener('pointerup', onUp);
}

function moveByKey(event: KeyboardEvent, scatter: Scatter | null): void {
  const { currentTarget, key } = event;
  if (scatter === null || !(currentTarget instanceof HTMLElement)) return;
  const [x, y] = [currentTarget.clientWidth / 2, currentTarget.clientHeight / 2];
  const moves: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => scatter.pan(STEP, 0),
    ArrowRight: () => scatter.pan(-STEP, 0),
    ArrowUp: () => scatter.pan(0, STEP),
    ArrowDown: () => scatter.pan(0, -STEP),
    '+': () => scatter.zoom(MAGNIFY, x, y),
    '=': () => scatter.zoom(MAGNIFY, x, y),
    '-': () => scatter.zoom(1 / MAGNIFY, x, y),
    '0': () => scatter.fit(),
  };
  const move = moves[key];
  if (move === undefined) return;
  event.preventDefault();
  move();
}
