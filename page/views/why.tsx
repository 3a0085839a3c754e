/** Another description of a skill, and what it would change over a whole set of queries, at once. */

import { useEffect, useState } from 'preact/hooks';
import type { RankChanges } from '../../extensions/explore/api.ts';
import { useAnswer } from '../load.ts';
import { count, counted, Problem, SkillId } from '../parts.tsx';
import { parameters, replaceParameters } from '../route.ts';

/** Pause after a key before the ranks are computed again, ms. */
const PAUSE_MS = 350;
/** Queries of one request. */
const MAX_QUERIES = 100;

export default function WhyView() {
  const skill = parameters.value.get('skill') ?? '';
  const card = useAnswer('skill', skill.trim() === '' ? null : { id: skill.trim() }, { delayMs: PAUSE_MS });
  const [description, setDescription] = useState<string | null>(null);
  const [lines, setLines] = useState('');
  const original = card.answer?.description ?? '';
  useEffect(() => setDescription(null), [card.answer?.id]);
  const queries = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, MAX_QUERIES);
  const text = description ?? original;
  const changes = useAnswer(
    'why',
    card.answer === null || queries.length === 0
      ? null
      : { skill: card.answer.id, description: text, queries },
    { delayMs: PAUSE_MS },
  );
  return (
    <div class="why">
      <h1 class="unseen">Why</h1>
      <div class="why-inputs">
        <label class="field">
          <span>Skill, by id or name</span>
          <input
            type="search"
            value={skill}
            placeholder="email-deliverability"
            spellcheck={false}
            onInput={({ currentTarget }) => replaceParameters({ skill: currentTarget.value })}
          />
        </label>
        {card.error !== null && <Problem>{card.error}</Problem>}
        <label class="field">
          <span>Description: change it and watch the ranks</span>
          <textarea
            rows={9}
            value={text}
            disabled={card.answer === null}
            onInput={({ currentTarget }) => setDescription(currentTarget.value)}
          />
          <span>{text.length} of 1,024 characters</span>
        </label>
        {description !== null && description !== original && (
          <p class="actions">
            <button type="button" onClick={() => setDescription(null)}>
              Back to the present one
            </button>
          </p>
        )}
        <label class="field">
          <span>Queries, one a line</span>
          <textarea
            rows={9}
            value={lines}
            placeholder={'our newsletters land in spam\nset up DMARC'}
            onInput={({ currentTarget }) => setLines(currentTarget.value)}
          />
        </label>
      </div>
      <div class="why-result" role="status">
        {changes.error !== null && <Problem>{changes.error}</Problem>}
        {changes.answer === null ? (
          <p class="quiet">
            {card.answer === null
              ? 'Name a skill. Nothing is written: the ranks are computed as if its description were another one.'
              : queries.length === 0
                ? 'Write the queries for which it should be found.'
                : 'Computing the ranks…'}
          </p>
        ) : (
          <Changes changes={changes.answer} loading={changes.loading} />
        )}
      </div>
    </div>
  );
}

function Changes({ changes, loading }: { changes: RankChanges; loading: boolean }) {
  const { rows, losers } = changes;
  const better = rows.filter(({ before, after }) => after < before).length;
  const worse = rows.filter(({ before, after }) => after > before).length;
  const first = rows.filter(({ after }) => after === 1).length;
  return (
    <>
      <p class="totals">
        <b>{first}</b> of {rows.length} first · <b class="good">{better}</b> better ·{' '}
        <b class="bad">{worse}</b> worse
        {loading && <span class="quiet"> · computing…</span>}
      </p>
      <table class="wide">
        <thead>
          <tr>
            <th scope="col">Query</th>
            <th scope="col" class="number">
              Now
            </th>
            <th scope="col" class="number">
              Then
            </th>
            <th scope="col">First then</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ query, before, after, reached, first: winner }) => (
            <tr key={query}>
              <td>{query}</td>
              <td class="number">{count(before)}</td>
              <td class={`number ${after < before ? 'good' : after > before ? 'bad' : ''}`}>
                {after < before ? '▲ ' : after > before ? '▼ ' : ''}
                {count(after)}
                {!reached && <span class="quiet"> not shown</span>}
              </td>
              <td>{winner === changes.id ? 'this skill' : <SkillId id={winner} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>Skills that would lose</h2>
      {losers.length === 0 ? (
        <p class="quiet">No other skill falls behind this one.</p>
      ) : (
        <ul class="ids">
          {losers.map(({ id, queries }) => (
            <li key={id}>
              <SkillId id={id} />{' '}
              <span class="quiet">in {counted(queries, 'query').replace(/ys$/, 'ies')}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
