/** Search at the left, map at the right: what one names, the other shows. A skill opens in the list's place; the map stays. */

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SearchAnswer } from '../../extensions/explore/api.ts';
import { call } from '../client.ts';
import { useKept } from '../kept.ts';
import { type Loaded, overview, useAnswer } from '../load.ts';
import type { Lit } from '../map/labels.ts';
import { cameraText, Plane } from '../map/plane.tsx';
import { type FacetName, Points } from '../map/points.ts';
import type { Camera } from '../map/scatter.ts';
import { count, counted, Foreign, Problem, Progress } from '../parts.tsx';
import {
  formatAddress,
  lastParameters,
  parameters,
  replaceParameters,
  skillAddress,
  view,
} from '../route.ts';
import { useDemonstration } from './demonstration.ts';
import { Browse, Compared, Hits } from './hits.tsx';
import { SkillView } from './skill.tsx';

/** Pause after a key before a search, ms: shorter than between two letters of most people. */
const PAUSE_MS = 40;
/** Hits of a search, which the facets narrow, and how many of them are lit on the map. */
const HITS = 30;
const LIT = 10;
/** A hit with less than this share of the best one's score is not lit. */
const NEAR = 0.25;
/** An answer to another query is dimmed after this time, ms. */
const STALE_MS = 300;
/** A query that is still there after this time, ms, counts, and is one of the last searches; so many are kept. */
const STANDS_MS = 2_000;
const KEPT = 5;
/** How often the page asks for a map that is being computed, ms. */
const AGAIN_MS = 700;
/** Places that the start names. */
const PLACES = 14;
const FACETS: readonly FacetName[] = ['repository', 'scripts', 'language', 'needs'];
/** Widths of what covers the map, pixels, as `style.css` has them; on a phone the map lies above. */
const LIST = 540;
const SKILL = 720;
const PHONE = matchMedia('(max-width: 800px)');

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
  const { map, state } = useMap(isOpen);
  const first = useSearch(isOpen ? query : '');
  const second = useSearch(isOpen ? (other?.trim() ?? '') : '');
  const [pulsing, setPulsing] = useState<number | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const [seen, setSeen] = useState<readonly number[]>([]);
  const [isWhole, setWhole] = useState(false);
  const isPhone = useMedia(PHONE);
  useStanding(query);
  const place = given.has('place') ? placeNamed(map, given.get('place')!) : null;
  const isStart = query === '' && other === null && place === null && !given.has('at') && !isSkill;
  const shown = useDemonstration(isStart && map !== null);
  const narrowed = useMemo(() => narrowing(map, given), [map, String(given)]);
  const answer = shown.answer ?? first.answer;
  const hits = useMemo(() => hitsOn(map, answer, narrowed), [map, answer, narrowed]);
  const browsed = useMemo(
    () =>
      (place === null || map === null ? seen : map.skillsIn(place)).filter((at) => narrowed?.(at) ?? true),
    [map, place, seen, narrowed],
  );
  const chosen =
    query !== '' || shown.answer !== null
      ? [...hits.keys()]
      : place === null && narrowed === null
        ? null
        : browsed;
  const pane = useRef<HTMLDivElement>(null);
  useReturn(isSkill, pane);
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
                ) : (
                  <List
                    {...{ map, query, other, first, second, narrowed, browsed, hovered, onPoint: setPulsing }}
                    given={given}
                    place={place}
                  />
                )}
                {state !== null && overview.value?.skills !== 0 && <Working {...state} />}
              </>
            )}
          </div>
          {isSkill && <SkillView />}
        </main>
      </div>
      {map !== null && map.size > 0 && (
        <div class="map">
          <Plane
            map={map}
            chosen={chosen}
            lit={hits}
            pulsing={pulsing}
            inset={isPhone ? 0 : isSkill ? SKILL : LIST}
            camera={cameraIn(given.get('at'))}
            onHover={setHovered}
            onOpen={(at) => {
              counts(query);
              location.hash = skillAddress(map.ids[at]!);
            }}
            onPlace={(at) => {
              setWhole(false);
              location.hash = formatAddress('explore', { place: nameFor(map, at) });
            }}
            onStill={(camera, isSeen) => {
              setSeen(
                camera === null
                  ? []
                  : map.byDistance(Array.from({ length: map.size }, (_, at) => at).filter(isSeen), camera),
              );
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
function useMap(isOpen: boolean) {
  const { answer, error } = useAnswer('map', isOpen ? {} : null, {
    againMs: ({ state }) => (state === 'working' ? AGAIN_MS : null),
  });
  const last = useRef<Points | null>(null);
  const made = answer?.state === 'done' ? answer.result : null;
  last.current = useMemo(() => (made === null ? last.current : new Points(made)), [made]);
  const problem = error ?? (answer?.state === 'failed' ? answer.reason : null);
  const share = last.current === null && answer?.state === 'working' ? answer.share : null;
  return { map: last.current, state: problem === null && share === null ? null : { problem, share } };
}

function Working({ problem, share }: { problem: string | null; share: number | null }) {
  if (problem !== null) return <Problem>{problem}</Problem>;
  return <Progress label="The map is being drawn, once for each version of the catalog" share={share ?? 0} />;
}

const useSearch = (query: string): Loaded<SearchAnswer> =>
  useAnswer('search', query.trim() === '' ? null : { query, limit: HITS }, { delayMs: PAUSE_MS });

function useMedia(media: MediaQueryList): boolean {
  const [matches, setMatches] = useState(media.matches);
  useEffect(() => {
    const onChange = () => setMatches(media.matches);
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, []);
  return matches;
}

/** A query that stays counts, and is one of the last searches. */
function useStanding(query: string): void {
  const [last, setLast] = useKept('searches');
  useEffect(() => {
    if (query.trim() === '') return;
    const timer = setTimeout(() => {
      counts(query);
      setLast([query, ...last.split('\n').filter((other) => other !== query)].slice(0, KEPT).join('\n'));
    }, STANDS_MS);
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

interface BoxProperties {
  readonly query: string;
  readonly other: string | null;
  readonly typed: string;
  /** The hits that are listed are those of another query. */
  readonly isOld: boolean;
}

function Box({ query, other, typed, isOld }: BoxProperties) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (query === '') field.current?.focus({ preventScroll: true });
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
    const isForHits = event.key === 'ArrowDown' || event.key === 'Enter';
    if (isForHits) event.preventDefault();
    setKey(isForHits ? event.key : null);
  };
  return (
    <div class="boxes">
      <label>
        <span class={other === null ? 'unseen' : ''}>
          {other === null ? 'What do you want to do?' : 'In the person’s own words'}
        </span>
        <input
          ref={field}
          type="search"
          value={query}
          placeholder={typed === '' ? 'What do you want to do?' : typed}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget: { value } }) => replaceParameters({ q: value, place: '' })}
          onKeyDown={onKeyDown}
        />
      </label>
      {other !== null && (
        <label>
          <span>The query an agent would send</span>
          <input
            type="search"
            value={other.trim()}
            spellcheck={false}
            autocomplete="off"
            onInput={({ currentTarget: { value } }) => replaceParameters({ with: value || ' ' })}
            onKeyDown={onKeyDown}
          />
        </label>
      )}
    </div>
  );
}

function Queries({ title, queries }: { title: string; queries: readonly string[] }) {
  if (queries.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {queries.map((query) => (
          <li key={query}>
            <a href={formatAddress('explore', { q: query })}>
              <Foreign text={query} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What an empty box shows: where one could begin in this catalog. */
function Start({ map }: { map: Points | null }) {
  const { answer } = useAnswer('start', {});
  const [last] = useKept('searches');
  const searches = last.split('\n').filter((query) => query !== '');
  if (overview.value?.skills === 0)
    return (
      <p class="hints">
        There are no skills yet. Put a folder with a <code>SKILL.md</code> into one of the folders that are
        served, or start <code>skillgate explore --skills DIR</code>.
      </p>
    );
  const named = (map?.regions ?? [])
    .filter(({ label }, at, all) => label !== null && all.findIndex((other) => other.label === label) === at)
    .sort((a, b) => b.skills - a.skills)
    .slice(0, PLACES);
  return (
    <div class="start">
      <Queries title="For example" queries={(answer?.examples ?? []).slice(0, 3)} />
      <Queries title="Last searches" queries={searches} />
      {named.length > 1 && (
        <section>
          <h2>Places</h2>
          <ul class="places">
            {named.map(({ label, skills }) => (
              <li key={label}>
                <a href={formatAddress('explore', { place: label! })}>
                  <Foreign text={label!} />
                </a>{' '}
                <span class="quiet">{count(skills)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

interface ListProperties {
  readonly map: Points | null;
  readonly given: URLSearchParams;
  readonly query: string;
  readonly other: string | null;
  readonly place: number | null;
  readonly first: Loaded<SearchAnswer>;
  readonly second: Loaded<SearchAnswer>;
  readonly narrowed: ((at: number) => boolean) | null;
  readonly browsed: readonly number[];
  readonly hovered: number | null;
  readonly onPoint: (at: number | null) => void;
}

function List({
  map,
  given,
  query,
  other,
  place,
  first,
  second,
  narrowed,
  browsed,
  hovered,
  onPoint,
}: ListProperties) {
  const isStale = useStale(first.isOld);
  const asAgent = given.get('as') === 'agent';
  const point = (id: string) => onPoint(map?.positionsOf([id])[0] ?? null);
  const lit = hovered === null || map === null ? null : map.ids[hovered]!;
  const shared = { lit, onPoint: (id: string | null) => (id === null ? onPoint(null) : point(id)) };
  if (query.trim() === '' && other === null)
    return (
      <>
        <p class="verdict">
          <b>{place === null ? 'In view' : <Foreign text={map?.regions[place]?.label ?? ''} />}</b>{' '}
          <span class="quiet">{counted(browsed.length, 'skill')}</span>{' '}
          <a href={formatAddress('explore')}>All</a>
        </p>
        <Narrow
          map={map}
          given={given}
          among={map === null ? [] : place === null ? browsed : map.skillsIn(place)}
        />
        {map !== null && <Browse map={map} points={browsed} {...shared} />}
      </>
    );
  if (first.error !== null) return <Problem>{first.error}</Problem>;
  const { answer } = first;
  if (answer === null) return <p class="quiet">Searching…</p>;
  const isIn = (id: string) => narrowed === null || (map?.positionsOf([id]) ?? []).some(narrowed);
  return (
    <div class={isStale ? 'stale' : ''} aria-busy={first.isOld}>
      <p class="modes">
        <button
          type="button"
          aria-pressed={!asAgent && other === null}
          onClick={() => replaceParameters({ as: '', with: '' })}
        >
          You
        </button>
        <button
          type="button"
          aria-pressed={asAgent}
          onClick={() => replaceParameters({ as: 'agent', with: '' })}
        >
          What the agent gets · {counted(answer.agent.tokens, 'token')}
        </button>
        <button
          type="button"
          aria-pressed={other !== null}
          onClick={() => replaceParameters({ as: '', with: ' ' })}
        >
          Compare
        </button>
      </p>
      <Verdict answer={answer} />
      {other !== null && second.answer !== null && <Verdict answer={second.answer} />}
      {other === null && !asAgent && (
        <Narrow map={map} given={given} among={map?.positionsOf(answer.hits.map(({ id }) => id)) ?? []} />
      )}
      {asAgent ? (
        <pre class="agent">{answer.agent.text}</pre>
      ) : other === null ? (
        <Hits
          key={answer.query}
          answer={answer}
          isIn={isIn}
          onOpen={() => counts(answer.query)}
          {...shared}
        />
      ) : (
        <Compared first={answer} second={second.answer} {...shared} />
      )}
    </div>
  );
}

/** True once it has been so for a moment. */
function useStale(isOld: boolean): boolean {
  const [isStale, setStale] = useState(false);
  useEffect(() => {
    if (!isOld) {
      setStale(false);
      return;
    }
    const timer = setTimeout(() => setStale(true), STALE_MS);
    return () => clearTimeout(timer);
  }, [isOld]);
  return isStale && isOld;
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

/** What the list can be narrowed to, with how many each choice leaves. */
function Narrow({
  map,
  given,
  among,
}: {
  map: Points | null;
  given: URLSearchParams;
  among: readonly number[];
}) {
  if (map === null) return null;
  return (
    <p class="facets">
      {FACETS.map((name) => {
        const values = [...map.facets[name]]
          .map(
            ([value, skills]) =>
              [value, among.reduce((sum, at) => sum + (skills.has(at) ? 1 : 0), 0)] as const,
          )
          .filter(([value, skills]) => value !== '' && (skills > 0 || given.get(name) === value))
          .sort(([, a], [, b]) => b - a);
        if (values.length < (name === 'repository' || name === 'language' ? 2 : 1) && !given.has(name))
          return null;
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
}

/** Whether a skill has all that the address asks for; null where it asks for nothing. */
function narrowing(map: Points | null, given: URLSearchParams): ((at: number) => boolean) | null {
  const asked = FACETS.filter((name) => given.has(name));
  if (map === null || asked.length === 0) return null;
  const sets = asked.map((name) => map.facets[name].get(given.get(name)!) ?? new Set<number>());
  return (at) => sets.every((skills) => skills.has(at));
}

/** Positions of the hits, with their ranks. */
function hitsOn(
  map: Points | null,
  answer: SearchAnswer | null,
  narrowed: ((at: number) => boolean) | null,
): Lit {
  const near = (answer?.hits ?? []).filter(({ score }) => score >= NEAR * (answer?.hits[0]?.score ?? 0));
  const all = near.flatMap(({ id, rank }) => (map?.positionsOf([id]) ?? []).map((at) => [at, rank] as const));
  return new Map(all.filter(([at]) => narrowed?.(at) ?? true).slice(0, LIT));
}

/** A place in the address: its name; of several with the same one, the first. */
const placeNamed = (map: Points | null, name: string): number | null => {
  const [, label = name, number = '1'] = /^(.*?)(?: #(\d+))?$/.exec(name) ?? [];
  const same = (map?.regions ?? []).flatMap((region, at) => (region.label === label ? [at] : []));
  return same[Number(number) - 1] ?? null;
};
function nameFor({ regions }: Points, place: number): string {
  const { label } = regions[place]!;
  const before = regions.slice(0, place).filter((other) => other.label === label).length;
  return before === 0 ? label! : `${label} #${before + 1}`;
}

function cameraIn(text: string | null): Camera | null {
  const [x, y, scale] = (text ?? '').split(',').map(Number);
  const isCamera = [x, y, scale].every((number) => number !== undefined && Number.isFinite(number));
  return isCamera ? { x: x!, y: y!, scale: scale! } : null;
}
