/** Search as you type: the hits with their reasons, and next to them what an agent receives for the same query. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { SearchAnswer, SearchHit } from '../../extensions/explore/api.ts';
import { call } from '../client.ts';
import { useKept } from '../kept.ts';
import { type Loaded, useAnswer } from '../load.ts';
import { mark, marks } from '../marks.ts';
import { count, counted, Foreign, MarkedText, Meter, Problem, SkillId, shown } from '../parts.tsx';
import { parameters, replaceParameters, skillAddress } from '../route.ts';
import { MarkedSet } from './marked.tsx';
import { Start } from './start.tsx';

/** Pause after a key before a search, ms: shorter than between two words, longer than between two letters. */
const PAUSE_MS = 90;
/** A query that stands this long, ms, is one of the last searches; so many are kept. */
const STANDS_MS = 2_000;
const KEPT = 8;

export function Search() {
  const query = parameters.value.get('q') ?? '';
  const other = parameters.value.get('with');
  const compares = other !== null;
  const write = (q: string, against: string | null) =>
    replaceParameters({ q, with: against === '' ? ' ' : (against ?? undefined) });
  const first = useSearch(query);
  const [last, setLast] = useKept('searches');
  useEffect(() => {
    if (query.trim() === '') return;
    const timer = setTimeout(
      () =>
        setLast([query, ...last.split('\n').filter((other) => other !== query)].slice(0, KEPT).join('\n')),
      STANDS_MS,
    );
    return () => clearTimeout(timer);
  }, [query]);
  const second = useSearch(other?.trim() ?? '');
  return (
    <div class={compares ? 'columns' : ''}>
      <div>
        <QueryField
          label={compares ? 'In the person’s own words' : 'What do you want to do?'}
          value={query}
          onInput={(value) => write(value, other)}
        />
        {!compares && (
          <button type="button" class="link" onClick={() => write(query, ' ')}>
            Compare with another wording
          </button>
        )}
        <Outcome query={query} loaded={first} against={compares ? second.answer : null} narrow={compares} />
      </div>
      {compares && (
        <div>
          <QueryField
            label="The query an agent would send"
            value={other.trim()}
            onInput={(value) => write(query, value)}
          />
          <button type="button" class="link" onClick={() => write(query, null)}>
            Stop comparing
          </button>
          <Outcome query={other.trim()} loaded={second} against={first.answer} narrow />
        </div>
      )}
    </div>
  );
}

const useSearch = (query: string): Loaded<SearchAnswer> =>
  useAnswer('search', query.trim() === '' ? null : { query }, { delayMs: PAUSE_MS });

interface FieldProperties {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function QueryField({ label, value, onInput }: FieldProperties) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (value === '') field.current?.focus({ preventScroll: true });
  }, []);
  return (
    <label class="query">
      <span>{label}</span>
      <input
        ref={field}
        type="search"
        value={value}
        placeholder="customers say our mails end up in junk"
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          hitsNear(event.currentTarget)[0]?.focus();
        }}
      />
    </label>
  );
}

interface OutcomeProperties {
  readonly query: string;
  readonly loaded: Loaded<SearchAnswer>;
  /** The answer to the other query of a comparison. */
  readonly against: SearchAnswer | null;
  readonly narrow: boolean;
}

function Outcome({ query, loaded, against, narrow }: OutcomeProperties) {
  const { answer, error } = loaded;
  if (error !== null) return <Problem>{error}</Problem>;
  if (query.trim() === '')
    return (
      <>
        <Start />
        <MarkedSet />
      </>
    );
  if (answer === null) return <p class="quiet">Searching…</p>;
  return (
    <>
      <Verdict answer={answer} />
      <div class={narrow ? '' : 'side-by-side'}>
        <div>
          <Hits key={answer.query} answer={answer} against={against} />
          <MarkedSet />
        </div>
        {answer.agent !== undefined && <AgentAnswer agent={answer.agent} open={!narrow} />}
      </div>
    </>
  );
}

/** The verdict and its one number; how the answer came about on demand. */
function Verdict({ answer }: { answer: SearchAnswer }) {
  const { fit, verdict, note, searched, tookMs, mode } = answer;
  return (
    <div class="verdict" role="status">
      {verdict !== null && <p class={verdict.kind}>{verdict.words}</p>}
      {fit !== null && (
        <Meter
          label="Chance that a skill fits"
          value={fit}
          hint="Estimated, and calibrated on judged queries"
        />
      )}
      {note !== undefined && <p class="quiet">{note}</p>}
      <details class="quiet">
        <summary>How</summary>
        {count(searched)} skills in {tookMs.toFixed(1)} ms, {mode}
      </details>
    </div>
  );
}

function Hits({ answer, against }: { answer: SearchAnswer; against: SearchAnswer | null }) {
  const [more, setMore] = useState<readonly SearchAnswer[]>([]);
  const pages = [answer, ...more];
  const hits = pages.flatMap((page) => page.hits);
  const { nextCursor } = pages.at(-1) ?? answer;
  const most = Math.max(...hits.map(({ score }) => score), 0.01);
  return (
    <div class="hits">
      <ol onKeyDown={moveBetweenHits} aria-label="Hits">
        {hits.map((hit) => (
          <Hit key={hit.id} query={answer.query} hit={hit} most={most} against={against} />
        ))}
      </ol>
      {nextCursor !== undefined && (
        <button
          type="button"
          onClick={() =>
            call('search', { query: answer.query, cursor: nextCursor }).then(
              (page) => setMore([...more, page]),
              () => {},
            )
          }
        >
          More hits
        </button>
      )}
    </div>
  );
}

const FEATURES: Readonly<Record<string, string>> = {
  words: 'Words in name, description and text',
  cardShare: 'Meaning of name and description',
  bestShare: 'Meaning of the best passage',
  coverage: 'How many words of the query',
  passage: 'Words together in one passage',
  identifiers: 'Names from code',
  name: 'The skill’s own name in the query',
  elsewhere: 'What the description sends elsewhere',
  product: 'Another product than the query names',
  learned: 'Loaded for such requests',
};

interface HitProperties {
  readonly query: string;
  readonly hit: SearchHit;
  /** The highest score shown, which fills the bar. */
  readonly most: number;
  readonly against: SearchAnswer | null;
}

function Hit({ query, hit, most, against }: HitProperties) {
  const [open, setOpen] = useState(false);
  const { rank, name, id, source, description, score, parts, evidence, copies, twins, needs } = hit;
  const other = against?.hits.find((theirs) => theirs.id === id)?.rank;
  return (
    <li class="hit">
      <div class="hit-head">
        <span class="rank">{rank}</span>
        <h2>
          <button type="button" class="plain hit-name" aria-expanded={open} onClick={() => setOpen(!open)}>
            <Foreign text={name} />
          </button>
        </h2>
        <SkillId id={id} />
        <label class="tick" title="This is a right one for the query">
          <input
            type="checkbox"
            checked={marks.value[query]?.includes(id) === true}
            onChange={({ currentTarget }) => mark(query, id, currentTarget.checked)}
          />
          <span class="unseen">{shown(name)} is a right one</span>
        </label>
        {against !== null && (
          <span class="tag">{other === undefined ? 'not in the other' : `rank ${other} in the other`}</span>
        )}
        {hit.suspicious && <span class="tag alert">suspicious</span>}
        <span class="score">
          <span class="parts" aria-hidden="true">
            {parts.map(([feature, part]) => (
              <span
                key={feature}
                class={`part part-${feature}`}
                style={{ width: `${(100 * Math.max(0, part)) / most}%` }}
              />
            ))}
          </span>
          <span>{score.toFixed(2)}</span>
        </span>
      </div>
      <p class={open ? '' : 'clamped'}>
        <MarkedText text={description} />
      </p>
      {evidence.map(({ path, heading, lines, excerpt }) => (
        <p class="evidence" key={`${path}:${lines[0]}`}>
          <a class="place" href={skillAddress(id, path, lines)}>
            <Foreign text={path} />:{lines[0]}–{lines[1]}
          </a>{' '}
          {heading.length > 0 && (
            <span class="heading">
              <Foreign text={heading.join(' › ')} />
            </span>
          )}
          <span class="excerpt">
            <MarkedText text={excerpt} />
          </span>
        </p>
      ))}
      <p class="facts">
        <span>{source}</span>
        {hit.references > 0 && <span>{counted(hit.references, 'reference')}</span>}
        {hit.scripts > 0 && <span>{counted(hit.scripts, 'script')}</span>}
        {needs.length > 0 && <span>needs {needs.join(', ')}</span>}
        {copies.length > 0 && <span>the same in {counted(copies.length, 'other place')}</span>}
        {twins.length > 0 && <span>{counted(twins.length, 'near copy')} folded</span>}
      </p>
      {open && (
        <div class="reasons">
          <table>
            <caption>Parts of the score</caption>
            <tbody>
              {parts.map(([feature, part]) => (
                <tr key={feature}>
                  <th scope="row">
                    <span class={`swatch part-${feature}`} aria-hidden="true" />
                    {FEATURES[feature] ?? feature}
                  </th>
                  <td>{part.toFixed(3)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {hit.lead !== undefined && <p>Ahead of the next hit {hit.lead}.</p>}
          {copies.length > 0 && <IdList title="The same skill elsewhere" ids={copies} />}
          {twins.length > 0 && <IdList title="Nearly the same, folded here" ids={twins} />}
        </div>
      )}
    </li>
  );
}

function IdList({ title, ids }: { title: string; ids: readonly string[] }) {
  return (
    <>
      <h3>{title}</h3>
      <ul class="ids">
        {ids.slice(0, 20).map((id) => (
          <li key={id}>
            <SkillId id={id} />
          </li>
        ))}
        {ids.length > 20 && <li class="quiet">and {count(ids.length - 20)} more</li>}
      </ul>
    </>
  );
}

function AgentAnswer({ agent, open }: { agent: { text: string; tokens: number }; open: boolean }) {
  return (
    <details class="agent" open={open}>
      <summary>
        <h2>What the agent receives</h2>
        <span class="quiet">about {count(agent.tokens)} tokens</span>
      </summary>
      <pre>{agent.text}</pre>
    </details>
  );
}

const hitsNear = (element: Element): readonly HTMLElement[] => [
  ...(element.closest('.columns > div, main')?.querySelectorAll<HTMLElement>('.hit-name') ?? []),
];

/** ↑ and ↓ move between the hits, and from the first back to the query. */
function moveBetweenHits(event: KeyboardEvent) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const target = event.target;
  if (step === 0 || !(target instanceof Element)) return;
  event.preventDefault();
  const names = hitsNear(target);
  const at = names.indexOf(target as HTMLElement) + step;
  if (at >= 0) names[at]?.focus();
  else target.closest('.columns > div, main')?.querySelector('input')?.focus();
}
