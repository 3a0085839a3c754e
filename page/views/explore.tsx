/** Search at the left, map at the right: what one names, the other shows. A skill opens in the list's place; the map stays. */

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SearchAnswer } from '../../extensions/explore/api.ts';
import { call } from '../client.ts';
import { type Loaded, overview, useAnswer } from '../load.ts';
import type { Lit } from '../map/labels.ts';
import { cameraText, Plane } from '../map/plane.tsx';
import { type FacetName, NO_POINTS, Points } from '../map/points.ts';
import type { Camera } from '../map/scatter.ts';
import { count, counted, Foreign, isComposing, Problem, Progress } from '../parts.tsx';
import {
  formatAddress,
  lastParameters,
  parameters,
  replaceParameters,
  skillAddress,
  view,
} from '../route.ts';
import { useDemonstration } from './demonstration.ts';
import { Browse, Cards, Compared } from './hits.tsx';
import { SkillView } from './skill.tsx';

/** Hits of a search, which the facets narrow, and how many of them are lit on the map. */
const HITS = 30;
const LIT = 10;
/** A hit with less than this share of the best one's score is not lit. */
const NEAR = 0.25;
/** A query that is still there after this time, ms, counts. */
const STANDS_MS = 2_000;
/** How often the page asks for a map that is being computed, ms. */
const AGAIN_MS = 700;
/** Places that the start names. */
const PLACES = 14;
/** What a list can be narrowed to, with the least number of values that are a choice. */
const FACETS: readonly (readonly [name: FacetName, values: number])[] = [
  ['repository', 2],
  ['scripts', 1],
  ['language', 2],
  ['needs', 1],
];

const counting = new Set<string>();

/** Records a search that counts in the audit log, once: the person read its hits. */
function counts(query: string): void {
  if (query.trim() === '' || counting.has(query)) return;
  counting.add(query);
  call('search', { query, limit: 1, counts: true }).catch(() => counting.delete(query));
}

export function Explore({ top, isOpen }: { top: ComponentChildren; isOpen: boolean }) {
  const isSkill = view.value === 'skill';
  const given = isSkill ? lastParameters('explore') : parameters.value;
  const query = given.get('q') ?? '';
  const other = given.get('with');
  const place = given.get('place');
  const { map, state } = useMap(isOpen);
  const first = useSearch(isOpen ? query : '');
  const second = useSearch(isOpen ? (other ?? '') : '');
  const [pulsing, setPulsing] = useState<number | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const [seen, setSeen] = useState<readonly number[]>([]);
  const [isWhole, setWhole] = useState(false);
  useStanding(query);
  const isStart = query === '' && other === null && place === null && !given.has('at') && !isSkill;
  const shown = useDemonstration(isStart ? map.examples : []);
  const narrowed = FACETS.map(([name]) => given.get(name));
  const passes = useMemo(() => narrowing(map, narrowed), [map, ...narrowed]);
  const answer = shown.answer ?? first.answer;
  const hits = useMemo(() => hitsOn(map, answer, passes), [map, answer, passes]);
  const among = useMemo(() => (place === null ? seen : map.skillsIn(place)), [map, place, seen]);
  const browsed = useMemo(() => among.filter(passes), [among, passes]);
  const isNarrowed = place !== null || narrowed.some((value) => value !== null);
  const isHits = query !== '' || shown.answer !== null;
  // A new selection is drawn anew: none is made where nothing has changed.
  const hitPoints = useMemo(() => [...hits.keys()], [hits]);
  const chosen = isHits ? hitPoints : isNarrowed ? browsed : null;
  const pane = useRef<HTMLDivElement>(null);
  useReturn(isSkill, pane);
  const isAt = (at: number | null, id: string) => at !== null && map.ids[at] === id;
  const shared = {
    isLit: (id: string) => isAt(hovered, id),
    onPoint: (id: string | null) => setPulsing(id === null ? null : (map.positionOf(id) ?? null)),
  };
  const isSearch = query.trim() !== '' || other !== null;
  return (
    <div
      class={`explore${isStart ? ' is-start' : ''}${isSkill ? ' is-skill' : ''}${isWhole ? ' is-map' : ''}`}
    >
      <div class="pane">
        {top}
        <main id="main" tabIndex={-1}>
          <div class="list" ref={pane} inert={isSkill}>
            <h1 class="unseen">Explore</h1>
            {isOpen && (
              <>
                <Box query={query} other={other} typed={shown.text} isOld={first.isOld} />
                {isStart ? (
                  <Start map={map} />
                ) : isSearch ? (
                  <Searched {...{ map, given, first, second, passes, ...shared }} />
                ) : (
                  <>
                    <p class="verdict">
                      <b>
                        <Foreign text={place ?? 'In view'} />
                      </b>{' '}
                      <span class="quiet">{counted(browsed.length, 'skill')}</span>{' '}
                      <a href={formatAddress('explore')}>All</a>
                    </p>
                    <Narrow {...{ map, given, among }} />
                    <Browse map={map} points={browsed} {...shared} />
                  </>
                )}
                {overview.value?.skills !== 0 && state}
              </>
            )}
          </div>
          {isSkill && <SkillView />}
        </main>
      </div>
      {map.size > 0 && (
        <div class="map">
          <Plane
            map={map}
            chosen={chosen}
            lit={hits}
            pulsing={pulsing}
            camera={cameraIn(given.get('at'))}
            onHover={setHovered}
            onOpen={(at) => {
              counts(query);
              location.hash = skillAddress(map.ids[at]!);
            }}
            onPlace={(label) => {
              setWhole(false);
              location.hash = formatAddress('explore', { place: label });
            }}
            onStill={(camera, isSeen) => {
              setSeen(camera === null ? [] : map.byDistance([...map.ids.keys()].filter(isSeen), camera));
              const at = camera === null ? '' : cameraText(camera);
              if (view.peek() === 'explore' && at !== (parameters.peek().get('at') ?? ''))
                replaceParameters({ at });
            }}
          />
          <button type="button" class="whole" onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Close the map' : 'Open the map'}
          </button>
        </div>
      )}
    </div>
  );
}

/** The map before stays while that of a changed catalog is made. */
function useMap(isOpen: boolean): { map: Points; state: ComponentChildren } {
  const { answer, error } = useAnswer('map', isOpen ? {} : null, {
    againMs: ({ state }) => (state === 'working' ? AGAIN_MS : null),
  });
  const last = useRef(NO_POINTS);
  const made = answer?.state === 'done' ? answer.result : null;
  last.current = useMemo(() => (made === null ? last.current : new Points(made)), [made]);
  const problem = error ?? (answer?.state === 'failed' ? answer.reason : null);
  const label = 'The map is being drawn, once for each version of the catalog';
  const state =
    problem !== null ? (
      <Problem>{problem}</Problem>
    ) : answer?.state === 'working' && last.current.size === 0 ? (
      <Progress label={label} share={answer.share} />
    ) : null;
  return { map: last.current, state };
}

const useSearch = (query: string): Loaded<SearchAnswer> =>
  useAnswer('search', query.trim() === '' ? null : { query, limit: HITS });

/** A query that stays counts. */
function useStanding(query: string): void {
  useEffect(() => {
    const timer = setTimeout(() => counts(query), STANDS_MS);
    return () => clearTimeout(timer);
  }, [query]);
}

/** Back from a skill, the list is where it was: what was opened has the focus. */
function useReturn(isSkill: boolean, pane: { readonly current: HTMLElement | null }): void {
  const left = useRef<{ readonly focus: Element | null; readonly scroll: number } | null>(null);
  // Before the list becomes inert, which takes the focus away.
  if (isSkill && left.current === null)
    left.current = { focus: document.activeElement, scroll: pane.current?.scrollTop ?? 0 };
  // At once: the next key is meant for it.
  useLayoutEffect(() => {
    if (isSkill || left.current === null) return;
    const { focus, scroll } = left.current;
    left.current = null;
    // Beside a skill its lines are longer.
    if (pane.current !== null) pane.current.scrollTop = scroll;
    if (focus instanceof HTMLElement && pane.current?.contains(focus)) focus.focus({ preventScroll: true });
  }, [isSkill]);
}

interface FieldProperties {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly isFirst?: boolean;
  /** The hits that are listed are those of another query. */
  readonly isOld: boolean;
  readonly onText: (text: string) => void;
}

/** A box whose arrow down leads to the hits, and Enter to the first of them. */
function Field({ label, value, placeholder, isFirst = false, isOld, onText }: FieldProperties) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst && value === '') field.current?.focus({ preventScroll: true });
  }, []);
  // Whoever types fast presses it before the hits are there.
  const [key, setKey] = useState<string | null>(null);
  useLayoutEffect(() => {
    if (key === null || isOld) return;
    setKey(null);
    const first = document.querySelector<HTMLElement>('.list .hit-name');
    if (key === 'ArrowDown') first?.focus();
    else first?.click();
  }, [key, isOld]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const isForHits = event.key === 'ArrowDown' || event.key === 'Enter';
    if (isForHits) event.preventDefault();
    setKey(isForHits ? event.key : null);
  };
  return (
    <label>
      <span class={placeholder === undefined ? '' : 'unseen'}>{label}</span>
      <input
        ref={field}
        type="search"
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}

const QUESTION = 'What do you want to do?';

interface BoxProperties {
  readonly query: string;
  readonly other: string | null;
  readonly typed: string;
  readonly isOld: boolean;
}

/** One box, or the two whose hits are compared. */
const Box = ({ query, other, typed, isOld }: BoxProperties) => (
  <div class="boxes">
    <Field
      isFirst
      isOld={isOld}
      label={other === null ? QUESTION : 'In the person’s own words'}
      value={query}
      placeholder={other !== null ? undefined : typed === '' ? QUESTION : typed}
      onText={(q) => replaceParameters({ q, place: '' })}
    />
    {other !== null && (
      <Field
        isOld={isOld}
        label="The query an agent would send"
        value={other.trim()}
        onText={(text) => replaceParameters({ with: text || ' ' })}
      />
    )}
  </div>
);

/** What an empty box shows: where one could begin in this catalog. */
function Start({ map }: { map: Points }) {
  if (overview.value?.skills === 0)
    return (
      <p class="hints">
        There are no skills yet. Put a folder with a <code>SKILL.md</code> into one of the folders that are
        served, or start <code>skillgate explore --skills DIR</code>.
      </p>
    );
  const examples = map.examples.map((q) => [q, { q }, ''] as const);
  const places = map.names.map(([place, skills]) => [place, { place }, ` ${count(skills)}`] as const);
  const lists = [
    ['For example', 'examples', examples],
    ['Places', 'places', places.slice(0, PLACES)],
  ] as const;
  return (
    <div class="start">
      {lists.map(
        ([title, kind, links]) =>
          links.length > 0 && (
            <section key={kind}>
              <h2>{title}</h2>
              <ul class={kind}>
                {links.map(([text, values, skills]) => (
                  <li key={text}>
                    <a href={formatAddress('explore', values)}>
                      <Foreign text={text} />
                    </a>
                    <span class="quiet">{skills}</span>
                  </li>
                ))}
              </ul>
            </section>
          ),
      )}
    </div>
  );
}

interface SearchedProperties {
  readonly map: Points;
  readonly given: URLSearchParams;
  readonly first: Loaded<SearchAnswer>;
  readonly second: Loaded<SearchAnswer>;
  readonly passes: (at: number) => boolean;
  readonly isLit: (id: string) => boolean;
  readonly onPoint: (id: string | null) => void;
}

/** The answer to a query: its hits, what an agent gets, or beside that to another wording. */
function Searched({ map, given, first, second, passes, ...shared }: SearchedProperties) {
  const { answer, error, isOld } = first;
  if (error !== null) return <Problem>{error}</Problem>;
  if (answer === null) return <p class="quiet">Searching…</p>;
  const mode = given.has('with') ? 'compare' : given.get('as') === 'agent' ? 'agent' : 'you';
  const among = answer.hits.flatMap(({ id }) => map.positionOf(id) ?? []);
  const hits = answer.hits.filter(({ id }) => passes(map.positionOf(id) ?? -1));
  const modes = [
    ['you', 'You', { as: '', with: '' }],
    ['agent', `What the agent gets · ${counted(answer.agent.tokens, 'token')}`, { as: 'agent', with: '' }],
    ['compare', 'Compare', { as: '', with: ' ' }],
  ] as const;
  return (
    <div class={isOld ? 'stale' : ''} aria-busy={isOld}>
      <p class="modes">
        {modes.map(([name, label, values]) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === mode}
            onClick={() => replaceParameters(values)}
          >
            {label}
          </button>
        ))}
      </p>
      <Verdict answer={answer} />
      {mode === 'compare' && second.answer !== null && <Verdict answer={second.answer} />}
      {mode === 'compare' && <Compared first={answer} second={second.answer} {...shared} />}
      {mode === 'agent' && <pre class="agent">{answer.agent.text}</pre>}
      {mode === 'you' && (
        <>
          <Narrow {...{ map, given, among }} />
          <Cards
            label="Hits"
            cards={hits}
            note={hits.length === 0 && `None of the first ${answer.hits.length} hits has that.`}
            onOpen={() => counts(answer.query)}
            {...shared}
          />
        </>
      )}
    </div>
  );
}

function Verdict({ answer: { verdict, note, searched, tookMs } }: { answer: SearchAnswer }) {
  return (
    <p class="verdict" role="status">
      {verdict !== null && <b class={verdict.kind}>{verdict.words}</b>}{' '}
      <span class="quiet">
        {count(searched)} searched in {tookMs.toFixed(0)} ms
      </span>
      {note !== undefined && <span class="quiet"> · {note}</span>}
    </p>
  );
}

interface NarrowProperties {
  readonly map: Points;
  readonly given: URLSearchParams;
  readonly among: readonly number[];
}

/** What the list can be narrowed to, with how many each choice leaves. */
const Narrow = ({ map, given, among }: NarrowProperties) => {
  const listed = new Set(among);
  return (
    <p class="facets">
      {FACETS.map(([name, least]) => {
        const values = [...map.facets[name]]
          .map(([value, skills]) => [value, countShared(skills, listed)] as const)
          .filter(([value, skills]) => value !== '' && (skills > 0 || given.get(name) === value))
          .sort(([, a], [, b]) => b - a);
        if (values.length < least && !given.has(name)) return null;
        return (
          <select
            key={name}
            aria-label={name}
            value={given.get(name) ?? ''}
            onChange={({ currentTarget }) => replaceParameters({ [name]: currentTarget.value })}
          >
            <option value="">{name}</option>
            {values.map(([value, skills]) => (
              <option key={value} value={value}>
                {value} ({count(skills)})
              </option>
            ))}
          </select>
        );
      })}
    </p>
  );
};

/** Through the smaller one: a large catalog has thousands of repositories. */
function countShared(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const at of small) if (large.has(at)) shared += 1;
  return shared;
}

/** Whether a skill has all that the address asks for. */
function narrowing(map: Points, selected: readonly (string | null)[]): (at: number) => boolean {
  const sets = FACETS.flatMap(([name], at) => {
    const value = selected[at] ?? null;
    return value === null ? [] : [map.facets[name].get(value)];
  });
  return (at) => sets.every((skills) => skills?.has(at) === true);
}

/** Positions of the hits, with their ranks. */
function hitsOn(map: Points, answer: SearchAnswer | null, passes: (at: number) => boolean): Lit {
  const { hits = [] } = answer ?? {};
  const near = hits.filter(({ score }) => score >= NEAR * hits[0]!.score);
  const ranks = near.flatMap(({ id, rank }) => {
    const at = map.positionOf(id);
    return at === undefined || !passes(at) ? [] : [[at, rank] as const];
  });
  return new Map(ranks.slice(0, LIT));
}

function cameraIn(text: string | null): Camera | null {
  const [x, y, scale] = (text ?? '').split(',').map(Number);
  const isCamera = [x, y, scale].every((number) => number !== undefined && Number.isFinite(number));
  return isCamera ? { x: x!, y: y!, scale: scale! } : null;
}
