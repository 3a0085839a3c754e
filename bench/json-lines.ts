import { readFile } from 'node:fs/promises';
import type * as z from 'zod';

/** The values of a file with one JSON value a line; empty lines are left out. Throws at a line that is none. */
export const jsonLines = async (file: string): Promise<unknown[]> =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));

/** The same, each as the schema reads it. Throws `ZodError` too. */
export const readLines = async <Line>(file: string, schema: z.ZodType<Line>): Promise<Line[]> =>
  (await jsonLines(file)).map((line) => schema.parse(line));
