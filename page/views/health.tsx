/** What is wrong with the catalog, worst first, each with what to do about it. */

import { useState } from 'preact/hooks';
import type { Health, RemarkKind, UseReport } from '../../extensions/explore/api.ts';
import { useAnswer } from '../load.ts';
import { count, counted, Problem, SkillId } from '../parts.tsx';
import { addressOf } from '../route.ts';

/** How often the page asks while files are read or pairs are compared, ms. */
const AGAIN_MS = 1_000;
/** Pairs that are listed. */
const PAIRS = 40;

export default function HealthView() {
  const { answer, error } = useAnswer(
    'health',
    {},
    {
      againMs: ({ remarks, collisions }) =>
        remarks.state === 'working' || collisions.state === 'working' ? AGAIN_MS : null,
    },
  );
  const use = useAnswer('use', {}).answer;
  if (error !== null) return <Problem>{error}</Problem>;
  if (answer === null) return <p class="quiet">Looking at the catalog…</p>;
  return (
    <div class="health">
      <Remarks remarks={answer.remarks} />
      <Collisions collisions={answer.collisions} />
      {use?.report !== undefined && <NeverUsed report={use.report} />}
    </div>
  );
}

function Remarks({ remarks }: { remarks: Health['remarks'] }) {
  return (
    <section>
      <h2>Remarks</h2>
      <p class="quiet">What skillgate validate finds in the files of each skill.</p>
      {remarks.state === 'working' && <Reading label="Reading the files" share={remarks.share} />}
      {remarks.state === 'failed' && <Problem>{remarks.reason}</Problem>}
      {remarks.state === 'done' && remarks.result.length === 0 && (
        <p>No remarks: every file is as it should be.</p>
      )}
      {remarks.state === 'done' && remarks.result.map((kind) => <Kind key={kind.id} kind={kind} />)}
    </section>
  );
}

function Kind({ kind: { id, severity, meaning, skills, found } }: { kind: RemarkKind }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="row" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class={`severity ${severity}`}>{severity}</span>
        <span class="row-text">{meaning}</span>
        <code class="quiet">{id}</code>
        <span class="number">{counted(skills, 'skill')}</span>
      </summary>
      {open && (
        <ul class="found">
          {found.map(({ skill, at, message, fix }) => (
            <li key={`${skill} ${at}`}>
              <SkillId id={skill} /> <code class="quiet">{at}</code>
              <p>{message}</p>
              {fix !== undefined && <p class="fix">{fix}</p>}
            </li>
          ))}
          {skills > found.length && (
            <li class="quiet">
              and {counted(skills - found.length, 'more skill')}: skillgate validate lists all
            </li>
          )}
        </ul>
      )}
    </details>
  );
}

function Collisions({ collisions }: { collisions: Health['collisions'] }) {
  return (
    <section>
      <h2>Collisions</h2>
      <p class="quiet">
        Pairs that an agent can hardly tell apart by name and description, with different contents. Write in
        each what only that skill does, name the other one, or remove one of the two.
      </p>
      {collisions.state === 'working' && (
        <Reading label="Comparing the descriptions" share={collisions.share} />
      )}
      {collisions.state === 'failed' && <Problem>{collisions.reason}</Problem>}
      {collisions.state === 'done' && (
        <>
          <p>
            {collisions.result.total === 0
              ? 'No two skills collide.'
              : `${counted(collisions.result.total, 'pair')}, the hardest to tell apart first.`}
          </p>
          {collisions.result.pairs.length > 0 && (
            <table class="wide">
              <thead>
                <tr>
                  <th scope="col" class="number">
                    Closeness
                  </th>
                  <th scope="col">Skill</th>
                  <th scope="col">and</th>
                  <th scope="col">What happens</th>
                </tr>
              </thead>
              <tbody>
                {collisions.result.pairs.slice(0, PAIRS).map(({ ids: [a, b], closeness, shadowing }) => (
                  <tr key={`${a} ${b}`}>
                    <td class="number">{closeness.toFixed(3)}</td>
                    <td>
                      <SkillId id={a} />
                    </td>
                    <td>
                      <SkillId id={b} />
                    </td>
                    <td>
                      {shadowing === null
                        ? 'each comes first for its own description'
                        : `${shadowing === a ? 'the first' : 'the second'} hides the other`}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </>
      )}
    </section>
  );
}

function NeverUsed({ report }: { report: UseReport }) {
  const { neverLoaded, neverFound, weakQueries, searches } = report;
  return (
    <section>
      <h2>Use</h2>
      <p class="quiet">From {counted(searches, 'search')} in the audit log.</p>
      <details class="row">
        <summary>
          <span class="severity info">info</span>
          <span class="row-text">
            First, or found many times, and never loaded: say in the description what the skill is not for
          </span>
          <span class="number">{counted(neverLoaded.length, 'skill')}</span>
        </summary>
        <ul class="found">
          {neverLoaded.map(({ id, times }) => (
            <li key={id}>
              <SkillId id={id} /> <span class="quiet">found {count(times)} times</span>
            </li>
          ))}
        </ul>
      </details>
      <details class="row">
        <summary>
          <span class="severity warning">warning</span>
          <span class="row-text">
            Requests that no skill seemed to fit: write a skill, or add their words to one
          </span>
          <span class="number">{counted(weakQueries.length, 'request')}</span>
        </summary>
        <ul class="found">
          {weakQueries.map(({ query, times }) => (
            <li key={query}>
              <a href={addressOf('search', { q: query })}>{query}</a>{' '}
              <span class="quiet">{count(times)} times</span>
            </li>
          ))}
        </ul>
      </details>
      <p class="row quiet">{counted(neverFound, 'skill')} were in no answer yet.</p>
    </section>
  );
}

function Reading({ label, share }: { label: string; share: number }) {
  return (
    <p class="reading">
      {label} <progress aria-label={label} value={share} max={1} /> {Math.round(100 * share)} %
    </p>
  );
}
