/** What a model does with an answer: it loads a skill, searches again or goes on without one. Recorded choices are replayed. */

import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { fingerprint } from './answers.ts';

export const choiceSchema = z.union([
  z.strictObject({ load: z.string().min(1) }),
  z.strictObject({ search: z.string().min(1) }),
  z.strictObject({ none: z.literal(true) }),
]);

/** `load` is an id as the answer shows it, of a hit or of a skill named behind the hits; `search` a new query. */
export type Choice = z.infer<typeof choiceSchema>;

/** What a chooser sees. */
export interface Turn {
  readonly id: string;
  /** The person's words. */
  readonly request: string;
  readonly query: string;
  /** The answer to the query, exactly as the tool gives it. */
  readonly answer: string;
}

interface Chosen {
  readonly choice: Choice;
  /** Recorded for another answer to this query. */
  readonly isStale: boolean;
}

/** Null if it knows nothing about this query. */
export type Chooser = (turn: Turn) => Promise<Chosen | null>;

const recordedSchema = z.object({
  _id: z.string(),
  /** Fingerprint of the query. */
  query: z.string(),
  /** Fingerprint of the answer that the model saw. */
  answer: z.string(),
  choice: choiceSchema,
});

export type Recorded = z.infer<typeof recordedSchema>;

/** Replays a file of `Recorded`, one a line. Throws at a line of another form. */
export async function replay(file: string): Promise<Chooser> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const known = new Map(
    lines.map((line) => {
      const row = recordedSchema.parse(JSON.parse(line));
      return [`${row._id} ${row.query}`, row];
    }),
  );
  return async ({ id, query, answer }) => {
    const row = known.get(`${id} ${fingerprint(query)}`);
    return row === undefined ? null : { choice: row.choice, isStale: row.answer !== fingerprint(answer) };
  };
}

/** Keeps what another chooser chose, for `replay`. */
export function recording(chooser: Chooser, rows: Recorded[]): Chooser {
  return async (turn) => {
    const chosen = await chooser(turn);
    if (chosen !== null)
      rows.push({
        _id: turn.id,
        query: fingerprint(turn.query),
        answer: fingerprint(turn.answer),
        choice: chosen.choice,
      });
    return chosen;
  };
}
