/** Lists of skills: the hits of a search, those of two wordings side by side, and what lies in a part of the map. */

import type { Card, SearchAnswer, SearchHit } from '../../extensions/explore/api.ts';
import { useAnswer } from '../load.ts';
import type { Points } from '../map/points.ts';
import { count, counted, Foreign, MarkedText, Origin, SkillId, shown } from '../parts.tsx';
import { skillAddress } from '../route.ts';

/** Hits of a wording that are compared, and skills of a place that are listed at once. */
const FIRST = 8;
const LISTED = 40;
/** Near copies that are named. */
const COPIES = 12;

/** What the lists share with the map. */
interface Shared {
  /** Whether a skill's point is under the pointer. */
  readonly isLit: (id: string) => boolean;
  readonly onPoint: (id: string | null) => void;
}

interface CardsProperties extends Shared {
  readonly label: string;
  readonly cards: readonly (Card | SearchHit)[];
  /** What follows the list. */
  readonly note: string | false;
  readonly onOpen?: () => void;
}

/** A list of cards, which light their points. Hits have their ranks and evidence, too. */
export const Cards = ({ label, cards, note, isLit, onPoint, onOpen }: CardsProperties) => (
  <div class="hits">
    <ol onKeyDown={moveBetweenHits} onPointerLeave={() => onPoint(null)} aria-label={label}>
      {cards.map((card) => (
        <li
          key={card.id}
          class={isLit(card.id) ? 'hit is-lit' : 'hit'}
          onPointerEnter={() => onPoint(card.id)}
          onFocusIn={() => onPoint(card.id)}
        >
          {'rank' in card && (
            <span class="rank" aria-hidden="true">
              {card.rank}
            </span>
          )}
          <Head card={card} onOpen={onOpen} />
          {'rank' in card && <Evidence hit={card} onOpen={onOpen} />}
          <Facts card={card} />
          {'rank' in card && card.copies.length > 0 && <Copies ids={card.copies} />}
        </li>
      ))}
    </ol>
    {note !== false && <p class="quiet">{note}</p>}
  </div>
);

function Head({ card: { id, name, description }, onOpen }: { card: Card; onOpen?: () => void }) {
  return (
    <>
      <h2>
        <a class="hit-name" href={skillAddress(id)} onClick={onOpen} title={shown(id)}>
          <Foreign text={name} />
        </a>{' '}
        <Origin id={id} />
      </h2>
      <p class="clamped">
        <MarkedText text={description} />
      </p>
    </>
  );
}

function Evidence({ hit: { id, evidence }, onOpen }: { hit: SearchHit; onOpen?: () => void }) {
  return (
    <>
      {evidence.map(({ path, heading, lines, excerpt }) => (
        <p class="evidence" key={`${path}:${lines[0]}`}>
          <a class="place" href={skillAddress(id, path, lines)} onClick={onOpen}>
            <Foreign text={path} />:{lines[0]}–{lines[1]}
          </a>{' '}
          <span class="quiet">
            <Foreign text={heading.join(' › ')} />
          </span>
          <span class="excerpt">
            <MarkedText text={excerpt} />
          </span>
        </p>
      ))}
    </>
  );
}

function Facts({ card: { scripts, needs, suspicious } }: { card: Card }) {
  const facts = [
    ...(scripts > 0 ? [counted(scripts, 'script')] : []),
    ...(needs.length > 0 ? [`needs ${needs.join(', ')}`] : []),
  ];
  if (facts.length === 0 && !suspicious) return null;
  return (
    <p class="facts quiet">
      {suspicious && <b class="bad">suspicious passages</b>} <Foreign text={facts.join(' · ')} />
    </p>
  );
}

/** Where it also is: on demand. */
const Copies = ({ ids }: { ids: readonly string[] }) => (
  <details class="copies">
    <summary>{counted(ids.length, 'near copy')}</summary>
    <ul>
      {ids.slice(0, COPIES).map((id) => (
        <li key={id}>
          <SkillId id={id} />
        </li>
      ))}
      {ids.length > COPIES && <li class="quiet">and {count(ids.length - COPIES)} more</li>}
    </ul>
  </details>
);

/** Hits of both wordings in one list, those whose ranks differ most first. */
export function Compared({
  first,
  second,
  isLit,
  onPoint,
}: { first: SearchAnswer; second: SearchAnswer | null } & Shared) {
  const ranks = (answer: SearchAnswer | null) => new Map(answer?.hits.map(({ id, rank }) => [id, rank]));
  const [own, agents] = [ranks(first), ranks(second)];
  const cards = new Map([...first.hits, ...(second?.hits ?? [])].map((hit) => [hit.id, hit]));
  const last = 1 + Math.max(first.hits.length, second?.hits.length ?? 0);
  const difference = (id: string) => Math.abs((own.get(id) ?? last) - (agents.get(id) ?? last));
  const best = (id: string) => Math.min(own.get(id) ?? last, agents.get(id) ?? last);
  const ids = [...cards.keys()]
    .filter((id) => best(id) <= FIRST)
    .sort((a, b) => difference(b) - difference(a) || best(a) - best(b));
  return (
    <table class="compared" onPointerLeave={() => onPoint(null)}>
      <thead>
        <tr>
          <th scope="col">You</th>
          <th scope="col">Agent</th>
          <th scope="col">Skill</th>
        </tr>
      </thead>
      <tbody>
        {ids.map((id) => (
          <tr key={id} class={isLit(id) ? 'is-lit' : ''} onPointerEnter={() => onPoint(id)}>
            <td>{own.get(id) ?? '–'}</td>
            <td>{agents.get(id) ?? '–'}</td>
            <td>
              <SkillId id={id} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Skills by their positions, in order; the first of them with what they say. */
export function Browse({ map, points, ...shared }: { map: Points; points: readonly number[] } & Shared) {
  const ids = points.slice(0, LISTED).map((at) => map.ids[at]!);
  const { answer } = useAnswer('cards', ids.length === 0 ? null : { ids }, { delayMs: 60 });
  const more = points.length - LISTED;
  const note =
    answer !== null && more > 0 && `and ${counted(more, 'more skill')}: magnify the map, or narrow the list`;
  return <Cards label="Skills" cards={answer ?? []} note={note} {...shared} />;
}

/** ↑ and ↓ move between the hits, and from the first back to the box. */
function moveBetweenHits(event: KeyboardEvent) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const { target } = event;
  if (step === 0 || !(target instanceof HTMLElement)) return;
  event.preventDefault();
  const list = target.closest('.list');
  const names = [...(list?.querySelectorAll<HTMLElement>('.hit-name') ?? [])];
  const at = names.indexOf(target) + step;
  if (at >= 0) names[at]?.focus();
  else list?.querySelector('input')?.focus();
}
