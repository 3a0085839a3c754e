/** What an empty search shows: where one could begin in this catalog. */

import { useKept } from '../kept.ts';
import { overview, useAnswer } from '../load.ts';
import { count, Foreign } from '../parts.tsx';
import { addressOf } from '../route.ts';

/** Skills up to which the files are checked for the figures of health without being asked. */
const CHECKED = 2_000;
const AGAIN_MS = 1_500;

export function Start() {
  const catalog = overview.value;
  const { answer } = useAnswer('start', {});
  const [last] = useKept('searches');
  const searches = last.split('\n').filter((query) => query !== '');
  if (catalog?.skills === 0)
    return (
      <p class="hints">
        There are no skills yet. Put a folder with a <code>SKILL.md</code> into one of the folders that are
        served, or start <code>skillgate explore --skills DIR</code>.
      </p>
    );
  return (
    <div class="start">
      <List title="For example" queries={answer?.examples ?? []} />
      <section class="themes">
        <h2>Themes</h2>
        <ul>
          {(answer?.themes ?? []).map(({ label, typical, skills }) => (
            <li key={label}>
              <a href={addressOf('search', { q: label })}>
                <Foreign text={label} />
              </a>{' '}
              <span class="quiet">
                about {count(skills)}
                {!label.includes(typical) && (
                  <>
                    , like <Foreign text={typical} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <List title="Last searches" queries={searches} />
      {catalog !== null && catalog.skills <= CHECKED && <HealthFigures />}
      <p class="quiet hints">
        Write what you want to do, as you would say it to a colleague. <kbd>↓</kbd> goes to the hits,{' '}
        <kbd>/</kbd> back here, <kbd>1</kbd>–<kbd>5</kbd> to the other views.
      </p>
    </div>
  );
}

function List({ title, queries }: { title: string; queries: readonly string[] }) {
  if (queries.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {queries.map((query) => (
          <li key={query}>
            <a href={addressOf('search', { q: query })}>
              <Foreign text={query} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function HealthFigures() {
  const { answer } = useAnswer(
    'health',
    {},
    {
      againMs: ({ remarks, collisions }) =>
        remarks.state === 'working' || collisions.state === 'working' ? AGAIN_MS : null,
    },
  );
  if (answer?.remarks.state !== 'done' || answer.collisions.state !== 'done') return null;
  const ofKind = (wanted: string) =>
    answer.remarks.state === 'done'
      ? answer.remarks.result
          .filter(({ severity }) => severity === wanted)
          .reduce((sum, { skills }) => sum + skills, 0)
      : 0;
  return (
    <section>
      <h2>
        <a href={addressOf('health')}>Health</a>
      </h2>
      <ul>
        <li>{count(ofKind('error'))} errors</li>
        <li>{count(ofKind('warning'))} warnings</li>
        <li>{count(answer.collisions.result.total)} collisions</li>
      </ul>
    </section>
  );
}
