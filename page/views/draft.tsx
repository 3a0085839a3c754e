/** Another description of a skill, and what it would change over a whole set of queries, at once. Nothing is written. */

import type { RankChange } from '../../extensions/explore/api.ts';
import { useKept } from '../kept.ts';
import { useAnswer } from '../load.ts';
import { CopyButton, count, Difference, Problem, SkillId } from '../parts.tsx';
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
              <Difference before={original} after={draft} />
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
        {ranks.answer !== null && <Changes rows={ranks.answer} isBusy={ranks.isOld} />}
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

function Changes({ rows, isBusy }: { rows: readonly RankChange[]; isBusy: boolean }) {
  return (
    <table class="ranks">
      <thead>
        <tr>
          <th scope="col">Query</th>
          <th scope="col">Rank{isBusy && <span class="quiet"> · computing…</span>}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ query, before, after }) => (
          <tr key={query}>
            <td>{query}</td>
            <td class={after < before ? 'good' : after > before ? 'bad' : ''}>
              {before === after ? count(after) : `${count(before)} → ${count(after)}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
