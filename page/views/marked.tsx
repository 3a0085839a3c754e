/** The set of queries and judgements that ticks at hits collect: measured here, or saved for `skillgate eval`. */

import { useState } from 'preact/hooks';
import { marks, measureMarks, openMarks, saveMarks, setMarks } from '../marks.ts';
import { counted, Foreign, Problem } from '../parts.tsx';
import { addressOf } from '../route.ts';

export function MarkedSet() {
  const [ranks, setRanks] = useState<Awaited<ReturnType<typeof measureMarks>> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const size = Object.keys(marks.value).length;
  const failed = (error: Error) => setProblem(error.message);
  const among = (most: number) => (ranks ?? []).filter(({ rank }) => rank !== null && rank <= most).length;
  return (
    <details class="marked">
      <summary>{counted(size, 'marked query')}</summary>
      <p class="quiet">
        Tick the right hits of a search. The set stays in this browser; saved, it is what{' '}
        <code>skillgate eval --queries queries.jsonl --qrels qrels.tsv</code> reads.
      </p>
      <p class="actions">
        <button type="button" disabled={size === 0} onClick={() => measureMarks().then(setRanks, failed)}>
          Measure
        </button>
        <button type="button" disabled={size === 0} onClick={saveMarks}>
          Save
        </button>
        <label class="button">
          Open…
          <input
            class="unseen"
            type="file"
            multiple
            accept=".jsonl,.tsv"
            onChange={({ currentTarget }) =>
              openMarks([...(currentTarget.files ?? [])]).then(() => setProblem(null), failed)
            }
          />
        </label>
        <button
          type="button"
          disabled={size === 0}
          onClick={() => {
            setMarks({});
            setRanks(null);
          }}
        >
          Forget
        </button>
      </p>
      {problem !== null && <Problem>{problem}</Problem>}
      {ranks !== null && (
        <p role="status">
          The first hit is right for {among(1)} of {ranks.length}, one of the first five for {among(5)}.
        </p>
      )}
      <ul>
        {Object.keys(marks.value).map((query) => {
          const measured = ranks?.find((row) => row.query === query);
          return (
            <li key={query}>
              <a href={addressOf('search', { q: query })}>
                <Foreign text={query} />
              </a>{' '}
              {measured !== undefined && (
                <span class={measured.rank === 1 ? 'good' : 'bad'}>
                  {measured.rank === null ? 'not among ten' : `rank ${measured.rank}`}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
