/** All skills in the plane: what lies together means the same. What is seen, chosen and looked for stands in the address. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Overlay, SearchAnswer } from '../../extensions/explore/api.ts';
import { css, isDark } from '../colours.ts';
import { download } from '../download.ts';
import { useAnswer } from '../load.ts';
import { COLOURINGS, type Colouring, type Kind, kindsOf } from '../map/kinds.ts';
import { type Corner, Plane } from '../map/plane.tsx';
import { type Counts, Points } from '../map/points.ts';
import { type Camera, encloses, type Scatter } from '../map/scatter.ts';
import { count, counted, Foreign, Problem, SkillId } from '../parts.tsx';
import { addressOf, parameters, replaceParameters } from '../route.ts';

/** How often the page asks for a map that is being computed, ms. */
const AGAIN_MS = 700;
/** Skills of a selection that are listed; the export has all. */
const LISTED = 200;
/** Hits of a search that are lit, and the pause after a key before it, ms. */
const HITS = 10;
const PAUSE_MS = 150;
/** A hit with less than this share of the best one's score is not lit. */
const NEAR = 0.25;
/** Corners of a lasso that the address keeps. */
const CORNERS = 40;

const NO_USE = 'Use needs an audit log with a search or a load: set telemetry.audit to a file.';

export default function MapView() {
  const { answer, error } = useAnswer(
    'map',
    {},
    { againMs: ({ state }) => (state === 'working' ? AGAIN_MS : null) },
  );
  // The map before stays while that of a changed catalog is made.
  const last = useRef<Points | null>(null);
  const made = answer?.state === 'done' ? answer.result : null;
  last.current = useMemo(() => (made === null ? last.current : new Points(made)), [made]);
  if (error !== null) return <Problem>{error}</Problem>;
  if (answer?.state === 'failed') return <Problem>{answer.reason}</Problem>;
  if (last.current !== null) return last.current.size === 0 ? <Empty /> : <Drawn map={last.current} />;
  return answer?.state === 'working' ? (
    <Working share={answer.share} />
  ) : (
    <p class="quiet">Loading the map…</p>
  );
}

function Empty() {
  return (
    <section class="working">
      <h2>There are no skills yet</h2>
      <p class="quiet">
        The map shows them as soon as there are some in the folders that are served. <code>--skills DIR</code>{' '}
        names another folder.
      </p>
    </section>
  );
}

function Working({ share }: { share: number }) {
  const percent = Math.round(100 * share);
  return (
    <section class="working">
      <h2>The map is being drawn</h2>
      <p class="quiet">
        Once for each version of the catalog; then it is kept. Searches do not wait for it, and you can go on
        in the other views.
      </p>
      <progress value={percent} max={100} aria-label="Progress of the map" />
      <p class="quiet">{percent} %</p>
    </section>
  );
}

function Drawn({ map }: { map: Points }) {
  const given = parameters.value;
  const { links, use, failed } = useOverlay(map);
  const colouring = colouringIn(given.get('colour'), use);
  const withLinks = given.has('collisions');
  const wanted = given.get('q') ?? '';
  const found = useAnswer('search', wanted.trim() === '' ? null : { query: wanted, limit: HITS }, {
    delayMs: PAUSE_MS,
  }).answer;
  const kinds = useMemo(
    () => kindsOf(map, use, colouring, isDark.value),
    [map, colouring === 'use' && use, colouring, isDark.value],
  );
  const selection = ['skill', 'kind', 'lasso'].map((name) => given.get(name)).join('\0');
  const chosen = useMemo(() => chosenIn(given, map, kinds.entries), [selection, map, kinds.entries]);
  const hits = useMemo(() => hitsIn(found, map), [found, map]);
  const shown = chosen ?? (hits === null ? null : [...hits.keys()]);
  const marked = useMemo(
    () =>
      new Map<number, number | null>([
        ...(hits ?? []),
        ...(given.has('skill') ? (chosen ?? []) : []).map((at) => [at, hits?.get(at) ?? null] as const),
      ]),
    [hits, chosen],
  );
  const [inView, setInView] = useState(0);
  const choose = (values: { skill?: string; kind?: string; lasso?: string }) =>
    replaceParameters({ skill: '', kind: '', lasso: '', ...values });
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') replaceParameters({ skill: '', kind: '', lasso: '', q: '' });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const onStill = (camera: Camera | null, scatter: Scatter) => {
    setInView(links?.filter(([a, b]) => scatter.sees(a) && scatter.sees(b)).length ?? 0);
    const at =
      camera === null ? '' : [camera.x.toFixed(4), camera.y.toFixed(4), camera.scale.toFixed(0)].join();
    if (at !== (parameters.peek().get('at') ?? '')) replaceParameters({ at });
  };
  return (
    <>
      <div class="map-tools">
        <fieldset class="choice">
          <legend>Colour</legend>
          {Object.entries(COLOURINGS).map(([name, title]) => (
            <label key={name} title={name === 'use' && use === null ? NO_USE : undefined}>
              <input
                type="radio"
                name="colouring"
                checked={colouring === name}
                disabled={name === 'use' && use === null}
                onChange={() => replaceParameters({ colour: name === 'theme' ? '' : name, kind: '' })}
              />
              {title}
            </label>
          ))}
        </fieldset>
        <label class="check">
          <input
            type="checkbox"
            checked={withLinks}
            disabled={links === null}
            onChange={({ currentTarget }) =>
              replaceParameters({ collisions: currentTarget.checked ? 'yes' : '' })
            }
          />
          {links !== null
            ? counted(links.length, 'collision')
            : failed
              ? 'Collisions could not be found'
              : 'Collisions are being found'}
          {withLinks && inView < (links?.length ?? 0) && `, ${count(inView)} in view`}
        </label>
        <label class="find">
          <span class="unseen">Search on the map</span>
          <input
            type="search"
            placeholder="Search on the map"
            value={wanted}
            onInput={({ currentTarget }) => {
              choose({});
              replaceParameters({ q: currentTarget.value });
            }}
          />
        </label>
        <p class="quiet" role="status">
          {shown === null ? counted(map.size, 'skill') : `${count(shown.length)} chosen`}
        </p>
      </div>
      <div class="map-layout">
        <Plane
          map={map}
          use={use}
          colours={kinds.colours}
          chosen={shown}
          marked={marked}
          links={withLinks ? links : null}
          start={cameraIn(given.get('at'))}
          onChoose={(points) => choose({ skill: points.map((at) => map.ids[at]).join('\n') })}
          onLasso={(corners) => choose({ lasso: lassoText(corners) })}
          onStill={onStill}
        />
        <aside class="map-side" aria-label="Legend and selection">
          {shown !== null && (
            <Selection
              map={map}
              points={shown}
              onClear={() => {
                choose({});
                replaceParameters({ q: '' });
              }}
            />
          )}
          <Legend kinds={kinds.entries} onChoose={(kind) => choose({ kind })} />
        </aside>
      </div>
    </>
  );
}

/** What lies on the map, as it becomes known; nothing while the map is of another catalog. */
function useOverlay({ content }: Points) {
  const { answer } = useAnswer(
    'overlay',
    {},
    { againMs: ({ links }) => (links.state === 'working' ? AGAIN_MS : null) },
  );
  const known = answer?.content === content ? answer : null;
  // A poll that brings the same counts draws nothing again.
  const counts = JSON.stringify(known?.use ?? null);
  const use = useMemo<Counts | null>(() => {
    const rows = JSON.parse(counts) as Overlay['use'];
    return rows && new Map(rows.map(([at, found, loaded]) => [at, [found, loaded]]));
  }, [counts]);
  const links = known?.links.state === 'done' ? known.links.result : null;
  return { links, use: use ?? null, failed: known?.links.state === 'failed' };
}

const colouringIn = (text: string | null, use: Counts | null): Colouring =>
  text !== null && Object.hasOwn(COLOURINGS, text) && (text !== 'use' || use !== null)
    ? (text as Colouring)
    : 'theme';

function cameraIn(text: string | null): Camera | null {
  const [x, y, scale] = (text ?? '').split(',').map(Number);
  const isCamera = [x, y, scale].every((number) => number !== undefined && Number.isFinite(number));
  return isCamera ? { x: x!, y: y!, scale: scale! } : null;
}

/** Every few corners, so that the address stays short. */
const lassoText = (corners: readonly Corner[]) =>
  corners
    .filter((_, at) => at % Math.ceil(corners.length / CORNERS) === 0)
    .map((corner) => corner.map((value) => value.toFixed(3)).join())
    .join(' ');

/** What the address chooses: some skills, a group of the legend, or what a lasso encloses. Null for nothing. */
function chosenIn(given: URLSearchParams, map: Points, kinds: readonly Kind[]): readonly number[] | null {
  const [skill, kind, lasso] = ['skill', 'kind', 'lasso'].map((name) => given.get(name)) as [
    string | null,
    string | null,
    string | null,
  ];
  if (skill !== null) return map.positionsOf(skill.split('\n'));
  if (kind !== null) return kinds.find(({ label }) => label === kind)?.points ?? [];
  if (lasso === null) return null;
  const corners = lasso.split(' ').map((corner) => corner.split(',').map(Number) as unknown as Corner);
  const isInside = (at: number) => encloses(corners, map.places[2 * at]!, map.places[2 * at + 1]!);
  return Array.from({ length: map.size }, (_, at) => at).filter(isInside);
}

/** Positions of the hits, with their ranks; null without a search. */
const hitsIn = (answer: SearchAnswer | null, map: Points) =>
  answer === null
    ? null
    : new Map(
        answer.hits.flatMap(({ id, rank, score }) => {
          const near = score >= NEAR * (answer.hits[0]?.score ?? 0);
          return near ? map.positionsOf([id]).map((at) => [at, rank] as const) : [];
        }),
      );

function Legend({ kinds, onChoose }: { kinds: readonly Kind[]; onChoose: (label: string) => void }) {
  return (
    <>
      <h2>Legend</h2>
      <ul class="legend">
        {kinds.map(({ label, colour, points }) => (
          <li key={label}>
            <button type="button" class="plain" onClick={() => onChoose(label)}>
              <span class="swatch" style={{ background: css(colour) }} aria-hidden="true" />
              <span class="legend-label">
                <Foreign text={label} />
              </span>
              <span class="quiet">{count(points.length)}</span>
            </button>
          </li>
        ))}
      </ul>
      <p class="quiet small">
        Drag to move, scroll or pinch to magnify. <kbd>Shift</kbd> and drag draws a lasso. By keyboard:
        arrows, <kbd>+</kbd>, <kbd>−</kbd>, <kbd>0</kbd> for all, <kbd>Esc</kbd> to choose nothing.
      </p>
    </>
  );
}

function Selection({
  map,
  points,
  onClear,
}: {
  map: Points;
  points: readonly number[];
  onClear: () => void;
}) {
  const list = () =>
    ['id\tname\tsource\ttheme']
      .concat(
        points.map((at) =>
          [
            map.ids[at],
            map.nameOf(at),
            map.sources[map.sourceOf[at]!],
            map.themes[map.themeOf[at]!]?.label,
          ].join('\t'),
        ),
      )
      .join('\n');
  return (
    <section class="selection">
      <h2>{counted(points.length, 'skill')}</h2>
      <p class="actions">
        <button type="button" onClick={() => download('skills.tsv', `${list()}\n`)}>
          Export as a list
        </button>
        <button type="button" onClick={onClear}>
          Clear
        </button>
      </p>
      {points.length <= 2 && points.map((at) => <Card key={map.ids[at]} id={map.ids[at]!} />)}
      {points.length > 2 && (
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
      )}
    </section>
  );
}

function Card({ id }: { id: string }) {
  const card = useAnswer('skill', { id }).answer;
  return (
    <article class="card">
      <SkillId id={id} />
      {card !== null && (
        <>
          <p>
            <Foreign text={card.description} />
          </p>
          <p>
            <a href={addressOf('why', { skill: id })}>Try in Why</a>
          </p>
        </>
      )}
    </article>
  );
}
