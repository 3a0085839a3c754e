/** The set of labelled queries that somebody works on, kept in this browser; as the files of `skillgate eval`, too. */

import type { LabelledQuery } from '../src/explore/api.ts';

const KEY = 'skillgate-labels';

/** Highest grade: answers the request fully. */
export const MAX_GRADE = 3;

export function readLabels(): readonly LabelledQuery[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap((one) => (isLabelled(one) ? [one] : [])) : [];
  } catch {
    return [];
  }
}

export const writeLabels = (queries: readonly LabelledQuery[]): void =>
  localStorage.setItem(KEY, JSON.stringify(queries));

function isLabelled(value: unknown): value is LabelledQuery {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    'text' in value &&
    typeof value.text === 'string' &&
    'grades' in value &&
    typeof value.grades === 'object'
  );
}

/** `queries.jsonl`: queries without text are kept, since `eval` leaves them out. */
export const queriesFile = (queries: readonly LabelledQuery[]): string =>
  queries.map(({ id, text }) => `${JSON.stringify({ _id: id, text })}\n`).join('');

/** `qrels.tsv`. */
export const qrelsFile = (queries: readonly LabelledQuery[]): string =>
  [
    'query-id\tcorpus-id\tscore\n',
    ...queries.flatMap(({ id, grades }) =>
      Object.entries(grades).map(([skill, grade]) => `${id}\t${skill}\t${grade}\n`),
    ),
  ].join('');

/** The set of both files. Lines that are neither are left out. */
export function fromFiles(queriesText: string, qrelsText: string): readonly LabelledQuery[] {
  const grades = new Map<string, Record<string, number>>();
  for (const line of qrelsText.split(/\r?\n/)) {
    const [query = '', skill = '', score = ''] = line.split('\t').map((field) => field.trim());
    const grade = Number(score);
    if (skill === '' || !Number.isInteger(grade) || grade < 1) continue;
    grades.set(query, { ...grades.get(query), [skill]: Math.min(MAX_GRADE, grade) });
  }
  return queriesText.split(/\r?\n/).flatMap((line) => {
    try {
      const { _id, id = _id, text } = JSON.parse(line);
      return typeof text === 'string' && id !== undefined
        ? [{ id: String(id), text, grades: grades.get(String(id)) ?? {} }]
        : [];
    } catch {
      return [];
    }
  });
}

/** An id that no query of the set has. */
export function nextId(queries: readonly LabelledQuery[]): string {
  const taken = new Set(queries.map(({ id }) => id));
  for (let number = queries.length + 1; ; number += 1) {
    const id = `q${String(number).padStart(3, '0')}`;
    if (!taken.has(id)) return id;
  }
}
