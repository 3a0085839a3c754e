/** What was searched and loaded over time, and which searches found nothing that fits: from the audit log. */

import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Savings, UseReport } from '../../extensions/explore/api.ts';
import { useAnswer } from '../load.ts';
import { count, Foreign, Problem, SkillId } from '../parts.tsx';
import { addressOf } from '../route.ts';

const HEIGHT = 240;

export default function UseView() {
  const { answer, error } = useAnswer('use', {});
  if (error !== null) return <Problem>{error}</Problem>;
  if (answer === null) return <p class="quiet">Reading the audit log…</p>;
  return (
    <div class="use">
      {answer.report === undefined ? (
        <section class="working">
          <h2>There is nothing to show yet</h2>
          <p class="quiet">Searches and loads appear here as they are made. {answer.hint}</p>
        </section>
      ) : (
        <>
          {answer.hint !== undefined && <p class="quiet">{answer.hint}</p>}
          <Report report={answer.report} />
        </>
      )}
      {answer.savings !== undefined && <Prompt savings={answer.savings} />}
    </div>
  );
}

/** What a prompt of each host holds of the skills, and of skillgate. */
function Prompt({ savings: { hosts, own, searches } }: { savings: Savings }) {
  return (
    <section class="in-prompts">
      <h2>In every prompt</h2>
      <ul>
        {hosts.map(({ name, hidden, skills, tokens, omitted, withoutDescription }) => (
          <li key={name}>
            {name}: its own list of {count(skills)} skills{' '}
            {hidden ? 'is switched off; it would take' : 'takes'} about {count(tokens)} tokens
            {omitted > 0 && `, leaves out ${count(omitted)}`}
            {withoutDescription > 0 && `, shows ${count(withoutDescription)} by name alone`}.
          </li>
        ))}
        <li>skillgate: its instructions and tools take about {count(own)} tokens.</li>
      </ul>
      <p class="quiet">
        {searches !== null && `The answers to all searches of the log took about ${count(searches)} tokens. `}
        Tokens are estimates, at 3.6 characters each.
      </p>
    </section>
  );
}

function Report({ report }: { report: UseReport }) {
  const { searches, loads, weak, days, queries, weakQueries, loaded } = report;
  return (
    <>
      <dl class="figures">
        <Figure label="Searches" value={count(searches)} />
        <Figure label="Skills loaded" value={count(loads)} />
        <Figure
          label="Weak answers"
          value={searches === 0 ? '–' : `${Math.round((100 * weak) / searches)} %`}
        />
      </dl>
      <Days days={days} />
      <div class="thirds">
        <QueryTable title="Asked most" queries={queries} />
        <QueryTable title="Weak answers" queries={weakQueries} />
        <section>
          <h2>Loaded most</h2>
          <table class="wide">
            <Columns names={['Skill', 'Times']} />
            <tbody>
              {loaded.slice(0, 15).map(({ id, times }) => (
                <tr key={id}>
                  <td>
                    <SkillId id={id} />
                  </td>
                  <td class="number">{count(times)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function QueryTable({ title, queries }: { title: string; queries: UseReport['queries'] }) {
  return (
    <section>
      <h2>{title}</h2>
      {queries.length === 0 && <p class="quiet">None.</p>}
      <table class="wide">
        <Columns names={['Query', 'Fit', 'Times']} />
        <tbody>
          {queries.slice(0, 15).map(({ query, times, fit }) => (
            <tr key={query}>
              <td>
                <a href={addressOf('search', { q: query })}>
                  <Foreign text={query} />
                </a>
              </td>
              <td class="number quiet">{fit === null ? '' : fit.toFixed(2)}</td>
              <td class="number">{count(times)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The first is text, the others are numbers. */
function Columns({ names }: { names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name, at) => (
          <th key={name} scope="col" class={at === 0 ? '' : 'number'}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Half a day, s: on both sides of the first and last one, so that the axis spans the data, also of one day. */
const MARGIN_S = 43_200;

/** The chart, and the same numbers as a table for those who cannot see it. */
function Days({ days }: { days: UseReport['days'] }) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = container.current;
    if (element === null || days.length === 0) return;
    const colour = (name: string) => resolved(element, `var(--${name})`);
    const line = (label: string, name: string) => ({
      label,
      stroke: colour(name),
      width: 2,
      points: { show: days.length < 15, size: 7, fill: colour(name) },
    });
    const axis = {
      stroke: colour('dim'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { show: false },
    };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { range: (_, first, last) => [first - MARGIN_S, last + MARGIN_S] },
          y: { range: (_, _low, high) => [0, Math.max(4, high * 1.1)] },
        },
        axes: [
          { ...axis, values: (_, times) => times.map(dayOf), space: 80 },
          { ...axis, size: 44 },
        ],
        series: [{}, line('Searches', 'p1'), line('Skills loaded', 'p2'), line('Weak answers', 'bad')],
      },
      [
        days.map(({ day }) => Date.parse(day) / 1_000),
        days.map(({ searches }) => searches),
        days.map(({ loads }) => loads),
        days.map(({ weak }) => weak),
      ],
      element,
    );
    const watching = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    watching.observe(element);
    return () => {
      watching.disconnect();
      chart.destroy();
    };
  }, [days]);
  return (
    <figure class="days">
      <figcaption>
        <span class="key part-words" /> Searches <span class="key part-cardShare" /> Skills loaded{' '}
        <span class="key key-bad" /> Weak answers
      </figcaption>
      <div ref={container} aria-hidden="true" />
      <table class="unseen">
        <caption>Use by day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Searches</th>
            <th scope="col">Skills loaded</th>
            <th scope="col">Weak answers</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, searches, loads, weak }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td>{searches}</td>
              <td>{loads}</td>
              <td>{weak}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

const FORMAT = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayOf = (seconds: number) => FORMAT.format(new Date(seconds * 1_000));

/** A colour token as canvases understand it. */
function resolved(near: HTMLElement, value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  near.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
