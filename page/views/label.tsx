/** Labels the right answers of queries, one query after the other, and measures the search on them. */

import { useEffect, useState } from 'preact/hooks';
import type { LabelledQuery, Measured, SearchHit } from '../../src/explore/api.ts';
import { call } from '../client.ts';
import { download } from '../download.ts';
import { fromFiles, MAX_GRADE, nextId, qrelsFile, queriesFile, readLabels, writeLabels } from '../labels.ts';
import { useAnswer } from '../load.ts';
import { counted, MarkedText, Problem, SkillId } from '../parts.tsx';

const PAUSE_MS = 150;
const GRADES = ['no', 'same topic', 'helps', 'answers'] as const;
const MEASURES: Readonly<Record<string, string>> = {
  'Hit@1': 'The first hit is right',
  'Hit@5': 'A right one among five',
  'nDCG@10': 'nDCG@10',
};

export default function LabelView() {
  const [queries, setQueries] = useState(readLabels);
  const [current, setCurrent] = useState(0);
  const [hints, setHints] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const [measured, setMeasured] = useState<Measured | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => writeLabels(queries), [queries]);
  const query = queries[current];
  const change = (changed: LabelledQuery) =>
    setQueries(queries.map((one, at) => (at === current ? changed : one)));
  const add = (added: readonly LabelledQuery[]) => {
    setQueries([...queries, ...added]);
    setCurrent(queries.length);
  };
  const drawTemplate = () =>
    call('template', {}).then(
      (rows) => {
        setHints(new Map(rows.map(({ id, hint }) => [id, hint])));
        setQueries(
          rows.map(({ id, wanted }) => ({
            id,
            text: '',
            grades: wanted === null ? {} : { [wanted]: MAX_GRADE },
          })),
        );
        setCurrent(0);
      },
      (failure: Error) => setError(failure.message),
    );
  const run = () => {
    setError(null);
    const ready = queries.filter(({ text }) => text.trim() !== '');
    call('measure', { queries: ready }).then(setMeasured, (failure: Error) => setError(failure.message));
  };
  return (
    <div class="label-view">
      <h1 class="unseen">Label</h1>
      <aside class="query-list" aria-label="Queries">
        <div class="actions">
          <button type="button" onClick={() => add([{ id: nextId(queries), text: '', grades: {} }])}>
            New query
          </button>
          {queries.length === 0 && (
            <button type="button" onClick={drawTemplate}>
              Start from a template
            </button>
          )}
        </div>
        <ol>
          {queries.map(({ id, text, grades }, at) => (
            <li key={id}>
              <button
                type="button"
                class="plain"
                aria-current={at === current ? 'true' : undefined}
                onClick={() => setCurrent(at)}
              >
                <span
                  class={Object.keys(grades).length > 0 && text !== '' ? 'dot done' : 'dot'}
                  aria-hidden="true"
                />
                <span class="query-text">{text === '' ? <i>{id}: to be written</i> : text}</span>
              </button>
            </li>
          ))}
        </ol>
        <Files queries={queries} onRead={setQueries} />
      </aside>
      <div class="label-main">
        {query === undefined ? (
          <p class="quiet hints">
            Write requests as your users would, and mark which skills answer them. The set measures the search
            on your own catalog, here and with <code>skillgate eval</code>. It stays in this browser until you
            save it.
          </p>
        ) : (
          <Editor
            key={query.id}
            query={query}
            hint={hints.get(query.id) ?? []}
            onChange={change}
            onNext={current + 1 < queries.length ? () => setCurrent(current + 1) : null}
            onRemove={() => {
              setQueries(queries.filter((_, at) => at !== current));
              setCurrent(Math.max(0, current - 1));
            }}
          />
        )}
      </div>
      <aside class="figures-side" aria-label="Figures">
        <button
          type="button"
          class="main"
          disabled={queries.every(({ text }) => text.trim() === '')}
          onClick={run}
        >
          Measure
        </button>
        {error !== null && <Problem>{error}</Problem>}
        {measured !== null && <Figures measured={measured} queries={queries} onOpen={setCurrent} />}
      </aside>
    </div>
  );
}

function Files({
  queries,
  onRead,
}: {
  queries: readonly LabelledQuery[];
  onRead: (queries: readonly LabelledQuery[]) => void;
}) {
  const read = async (files: FileList | null) => {
    const texts = await Promise.all(
      [...(files ?? [])].map(async (file) => ({ name: file.name, text: await file.text() })),
    );
    const textOf = (end: string) => texts.find(({ name }) => name.endsWith(end))?.text ?? '';
    onRead(fromFiles(textOf('.jsonl'), textOf('.tsv')));
  };
  return (
    <div class="files">
      <button
        type="button"
        disabled={queries.length === 0}
        onClick={() => {
          download('queries.jsonl', queriesFile(queries));
          download('qrels.tsv', qrelsFile(queries));
        }}
      >
        Save both files
      </button>
      <label class="button">
        Open both files
        <input
          type="file"
          class="unseen"
          multiple
          accept=".jsonl,.tsv"
          onChange={({ currentTarget }) => read(currentTarget.files)}
        />
      </label>
      <p class="quiet small">
        queries.jsonl and qrels.tsv, for <code>skillgate eval --queries … --qrels …</code>
      </p>
    </div>
  );
}

interface EditorProperties {
  readonly query: LabelledQuery;
  readonly hint: readonly string[];
  readonly onChange: (query: LabelledQuery) => void;
  readonly onNext: (() => void) | null;
  readonly onRemove: () => void;
}

function Editor({ query, hint, onChange, onNext, onRemove }: EditorProperties) {
  const { text, grades } = query;
  const { answer, error } = useAnswer('search', text.trim() === '' ? null : { query: text }, {
    delayMs: PAUSE_MS,
  });
  const hits = answer?.hits ?? [];
  const elsewhere = Object.keys(grades).filter((id) => !hits.some((hit) => hit.id === id));
  const grade = (id: string, value: number) => {
    const { [id]: _, ...others } = grades;
    onChange({ ...query, grades: value === 0 ? others : { ...others, [id]: value } });
  };
  return (
    <>
      {hint.length > 0 && (
        <details class="hint" open>
          <summary>Write a request that this skill answers, without its name</summary>
          {hint.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </details>
      )}
      <label class="field">
        <span>Request</span>
        <textarea
          rows={2}
          value={text}
          placeholder="As a person would say it who has never seen the skill"
          onInput={({ currentTarget }) => onChange({ ...query, text: currentTarget.value })}
        />
      </label>
      <p class="actions">
        <button type="button" disabled={onNext === null} onClick={() => onNext?.()}>
          Next query
        </button>
        <button type="button" class="link" onClick={onRemove}>
          Remove this query
        </button>
      </p>
      {error !== null && <Problem>{error}</Problem>}
      {elsewhere.length > 0 && (
        <>
          <h2>Marked, and not among the hits</h2>
          <ul>
            {elsewhere.map((id) => (
              <li class="candidate" key={id}>
                <SkillId id={id} />
                <Grade id={id} grade={grades[id] ?? 0} onGrade={(value) => grade(id, value)} />
              </li>
            ))}
          </ul>
        </>
      )}
      {hits.length > 0 && <h2>Hits</h2>}
      <ol>
        {hits.map((hit) => (
          <Candidate
            key={hit.id}
            hit={hit}
            grade={grades[hit.id] ?? 0}
            onGrade={(value) => grade(hit.id, value)}
          />
        ))}
      </ol>
      <AddSkill onAdd={(id) => grade(id, MAX_GRADE)} />
    </>
  );
}

interface CandidateProperties {
  readonly hit: SearchHit;
  readonly grade: number;
  readonly onGrade: (grade: number) => void;
}

function Candidate({ hit: { id, name, rank, description }, grade, onGrade }: CandidateProperties) {
  return (
    <li class="candidate">
      <p>
        <span class="quiet">{rank}</span> <b>{name}</b> <SkillId id={id} />
      </p>
      <p class="clamped">
        <MarkedText text={description} />
      </p>
      <Grade id={id} grade={grade} onGrade={onGrade} />
    </li>
  );
}

function Grade({ id, grade, onGrade }: { id: string; grade: number; onGrade: (grade: number) => void }) {
  return (
    <fieldset class="grades">
      <legend class="unseen">Does {id} answer it?</legend>
      {GRADES.map((label, value) => (
        <label key={label}>
          <input
            type="radio"
            name={`grade ${id}`}
            checked={grade === value}
            onChange={() => onGrade(value)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

/** A right answer that the search does not find is the most valuable label. */
function AddSkill({ onAdd }: { onAdd: (id: string) => void }) {
  const [wanted, setWanted] = useState('');
  const { answer } = useAnswer('skill', wanted.trim() === '' ? null : { id: wanted.trim() }, {
    delayMs: PAUSE_MS,
  });
  return (
    <form
      class="add"
      onSubmit={(event) => {
        event.preventDefault();
        if (answer === null) return;
        onAdd(answer.id);
        setWanted('');
      }}
    >
      <label class="field">
        <span>Another skill that answers it, by id or name</span>
        <input type="text" value={wanted} onInput={({ currentTarget }) => setWanted(currentTarget.value)} />
      </label>
      <button type="submit" disabled={answer === null}>
        Mark it
      </button>
    </form>
  );
}

interface FiguresProperties {
  readonly measured: Measured;
  readonly queries: readonly LabelledQuery[];
  readonly onOpen: (at: number) => void;
}

function Figures({ measured, queries, onOpen }: FiguresProperties) {
  const { means, results } = measured;
  const missed = results.filter(({ answerable, rank }) => answerable && rank !== 1);
  const wantedOf = (id: string) => {
    const grades = Object.entries(queries.find((one) => one.id === id)?.grades ?? {});
    return grades.sort(([, a], [, b]) => b - a)[0]?.[0];
  };
  return (
    <div role="status">
      <dl class="figures stacked">
        {Object.entries(MEASURES).map(([name, label]) => (
          <div key={name}>
            <dt>{label}</dt>
            <dd>{means[name] === undefined ? '–' : `${(100 * means[name]).toFixed(0)} %`}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        over {counted(measured.queries, 'query').replace(/ys$/, 'ies')} with a marked answer
      </p>
      <h2>Missed</h2>
      {missed.length === 0 && <p class="quiet">None: each marked skill is first.</p>}
      <ul class="missed">
        {missed.map(({ id, rank, winner }) => (
          <li key={id}>
            <button
              type="button"
              class="link"
              onClick={() =>
                onOpen(
                  Math.max(
                    0,
                    queries.findIndex((one) => one.id === id),
                  ),
                )
              }
            >
              {queries.find((one) => one.id === id)?.text ?? id}
            </button>
            <p>
              wanted <SkillId id={wantedOf(id) ?? '?'} />{' '}
              <b>{rank === null ? 'not found' : `rank ${rank}`}</b>
            </p>
            {winner !== null && (
              <p>
                first <SkillId id={winner} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
