/** Another description of a skill, and what it would change over a whole set of queries, at once. */

import { diffWordsWithSpace } from 'diff';
import { Fragment } from 'preact';
import type { RankChanges } from '../../extensions/explore/api.ts';
import { useKept } from '../kept.ts';
import { useAnswer } from '../load.ts';
import { CopyButton, count, counted, Problem, SkillId } from '../parts.tsx';
import { parameters, replaceParameters } from '../route.ts';

/** Pause after a key before the ranks are computed again, ms. */
const PAUSE_MS = 350;
/** Longest description of the specification, characters. */
const LIMIT = 1_024;
/** Queries of one request. */
const MAX_QUERIES = 100;

export default function WhyView() {
  const skill = parameters.value.get('skill') ?? '';
  const card = useAnswer('skill', skill.trim() === '' ? null : { id: skill.trim() }, { delayMs: PAUSE_MS });
  const { id = '', description: original = '' } = card.answer ?? {};
  const [draft, setDraft] = useKept(`draft ${id}`);
  const [lines, setLines] = useKept(`queries ${id}`);
  const queries = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, MAX_QUERIES);
  const text = draft === '' ? original : draft;
  const changes = useAnswer(
    'why',
    id === '' || queries.length === 0 ? null : { skill: id, description: text, queries },
    { delayMs: PAUSE_MS },
  );
  return (
    <div class="why">
      <div class="why-inputs">
        <SkillField value={skill} />
        {card.error !== null && <Problem>{card.error}</Problem>}
        {id !== '' && (
          <p class="why-skill">
            <SkillId id={id} />
          </p>
        )}
        <label class="field">
          <span>Description: change it and watch the ranks</span>
          <textarea
            rows={9}
            value={text}
            disabled={card.answer === null}
            aria-invalid={text.length > LIMIT}
            onInput={({ currentTarget: { value } }) => setDraft(value === original ? '' : value)}
          />
          <span class={text.length > LIMIT ? 'bad' : ''}>
            {count(text.length)} of {count(LIMIT)} characters
            {text.length > LIMIT && ': hosts refuse a longer one'}
          </span>
        </label>
        {draft !== '' && (
          <>
            <p class="difference">
              {differences(original, draft).map(({ kept, removed, added }, at) => (
                <Fragment key={at}>
                  {removed !== '' && <del>{removed}</del>}
                  {added !== '' && <ins>{added}</ins>}
                  {kept}
                </Fragment>
              ))}
            </p>
            <p class="actions">
              <CopyButton text={draft} label="Copy the draft" />
              <button type="button" onClick={() => setDraft('')}>
                Back to the present one
              </button>
            </p>
          </>
        )}
        <label class="field">
          <span>Queries, one a line</span>
          <textarea
            rows={9}
            value={lines}
            disabled={card.answer === null}
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

/** Completes ids while somebody types. */
function SkillField({ value }: { value: string }) {
  const ids = useAnswer('complete', value.trim() === '' ? null : { text: value.trim() }, {
    delayMs: PAUSE_MS,
  });
  return (
    <label class="field">
      <span>Skill, by id or name</span>
      <input
        type="search"
        list="skill-ids"
        value={value}
        placeholder="email-deliverability"
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => replaceParameters({ skill: currentTarget.value })}
      />
      <datalist id="skill-ids">
        {(ids.answer ?? []).map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </label>
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
              <SkillId id={id} /> <span class="quiet">in {counted(queries, 'query')}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Letters of unchanged text between two changes that are too few to be read as unchanged. */
const MIN_KEPT = 12;

/** What was removed and added, each followed by text that both have. Changes with only a word or two between them are one. */
function differences(before: string, after: string) {
  const parts: { removed: string; added: string; kept: string }[] = [{ removed: '', added: '', kept: '' }];
  for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
    let part = parts.at(-1);
    if (part === undefined || ((added || removed) && part.kept.length >= MIN_KEPT)) {
      part = { removed: '', added: '', kept: '' };
      parts.push(part);
    }
    if (added || removed) {
      // What was kept in between stands in both texts.
      part.removed += part.kept + (removed ? value : '');
      part.added += part.kept + (added ? value : '');
      part.kept = '';
    } else part.kept += value;
  }
  return parts;
}
