/** Another description of a skill, and what it would change over a whole set of queries, at once. Nothing is written. */

import { diffWordsWithSpace } from 'diff';
import type { RankChanges } from '../../extensions/explore/api.ts';
import { useKept } from '../kept.ts';
import { useAnswer } from '../load.ts';
import { CopyButton, count, counted, Problem, SkillId } from '../parts.tsx';
import { lastAddress } from '../route.ts';

/** Pause after a key before the ranks are computed again, ms. */
const PAUSE_MS = 350;
/** Longest description of the specification, characters. */
const LIMIT = 1_024;
/** Queries of one request. */
const MAX_QUERIES = 100;

export function Draft({ id }: { id: string }) {
  const card = useAnswer('skill', { id });
  const { description: original = '', requests = [] } = card.answer ?? {};
  const [draft, setDraft] = useKept(`draft ${id}`);
  const [written, setLines] = useKept(`queries ${id}`);
  // What the skill says it is for, until the person writes other queries.
  const lines = written === '' ? requests.join('\n') : written;
  const queries = [...new Set(lines.split('\n').map((line) => line.trim()))]
    .filter((line) => line !== '')
    .slice(0, MAX_QUERIES);
  const text = draft === '' ? original : draft;
  const isLong = text.length > LIMIT;
  const ranks = useAnswer(
    'ranks',
    card.answer === null || queries.length === 0 ? null : { skill: id, description: text, queries },
    { delayMs: PAUSE_MS },
  );
  const isMissing = card.answer === null;
  return (
    <div class="draft">
      <div>
        <p>
          <a href={lastAddress('skill').includes(id) ? lastAddress('skill') : '#/improve'}>←</a>{' '}
          <SkillId id={id} />
        </p>
        {card.error !== null && <Problem>{card.error}</Problem>}
        <label class="field">
          <span>Description: change it and watch the ranks. Nothing is written.</span>
          <textarea
            rows={9}
            value={text}
            disabled={isMissing}
            aria-invalid={isLong}
            onInput={({ currentTarget: { value } }) => setDraft(value === original ? '' : value)}
          />
          <span class={isLong ? 'bad' : ''}>
            {count(text.length)} of {count(LIMIT)} characters{isLong && ': hosts refuse a longer one'}
          </span>
        </label>
        {draft !== '' && (
          <>
            <p class="difference">
              {diffWordsWithSpace(original, draft).map(({ value, removed, added }, at) =>
                removed ? <del key={at}>{value}</del> : added ? <ins key={at}>{value}</ins> : value,
              )}
            </p>
            <p class="actions">
              <CopyButton text={draft} label="Copy the draft" />
              <button type="button" onClick={() => setDraft('')}>
                Back to the current one
              </button>
            </p>
          </>
        )}
        <label class="field">
          <span>Queries, one per line: what it says it is for, and what it was found for</span>
          <textarea
            rows={9}
            value={lines}
            disabled={isMissing}
            placeholder={'our newsletters land in spam\nset up DMARC'}
            onInput={({ currentTarget }) => setLines(currentTarget.value)}
          />
        </label>
      </div>
      <div role="status">
        {ranks.error !== null && <Problem>{ranks.error}</Problem>}
        {ranks.answer !== null && <Changes changes={ranks.answer} isBusy={ranks.loading} />}
        {ranks.answer === null && !isMissing && (
          <p class="quiet">
            {queries.length === 0
              ? 'Write the queries for which it should be found.'
              : 'Computing the ranks…'}
          </p>
        )}
      </div>
    </div>
  );
}

function Changes({ changes: { id, rows, losers }, isBusy }: { changes: RankChanges; isBusy: boolean }) {
  const number = (keep: (row: (typeof rows)[number]) => boolean) => rows.filter(keep).length;
  return (
    <>
      <p>
        <b>{number(({ after }) => after === 1)}</b> of {rows.length} first ·{' '}
        <b class="good">{number(({ before, after }) => after < before)}</b> better ·{' '}
        <b class="bad">{number(({ before, after }) => after > before)}</b> worse
        {isBusy && <span class="quiet"> · computing…</span>}
      </p>
      <table class="ranks">
        <thead>
          <tr>
            <th scope="col">Query</th>
            <th scope="col">Rank</th>
            <th scope="col">First then</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ query, before, after, reached, first }) => (
            <tr key={query}>
              <td>{query}</td>
              <td class={after < before ? 'good' : after > before ? 'bad' : ''}>
                {before === after ? count(after) : `${count(before)} → ${count(after)}`}
                {!reached && <span class="quiet"> not shown</span>}
              </td>
              <td>{first === id ? 'this skill' : <SkillId id={first} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>Skills that would lose</h2>
      {losers.length === 0 && <p class="quiet">No other skill falls behind this one.</p>}
      <ul>
        {losers.map(({ id: loser, queries }) => (
          <li key={loser}>
            <SkillId id={loser} /> <span class="quiet">in {counted(queries, 'query')}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
