import { readFile } from 'node:fs/promises';

/** The values of a file with one JSON value a line; empty lines are left out. Throws at a line that is none. */
export const jsonLines = async (file: string): Promise<unknown[]> =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
