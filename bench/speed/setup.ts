/** What `load`, `churn` and `http` measure: the built program, an index of a catalog, and queries to ask. */

import { join, resolve } from 'node:path';
import { EXAMPLE_SKILLS, here, SHIPPED_DATASET } from '../paths.ts';
import { type BuiltProgram, runIndex } from './processes.ts';
import { readQueries } from './queries.ts';

export interface SetupOptions {
  /** Default: the example skills. */
  readonly skills?: readonly string[];
  /** Default: the queries of the shipped dataset. */
  readonly queries?: string;
  /** Default: `dist/skillgate.cjs`. */
  readonly program?: string;
}

interface Setup extends BuiltProgram {
  /** Folders of skills. */
  readonly folders: readonly string[];
  /** Number of skills in the folders. */
  readonly skills: number;
  readonly index: string;
  readonly queriesFile: string;
  readonly queries: readonly string[];
}

/** Indexes the skills, and the folders of `added`, in a new folder below `scratch`. */
export async function setUp(
  options: SetupOptions,
  scratch: string,
  added: readonly string[] = [],
): Promise<Setup> {
  const folders = [...skillFolders(options), ...added];
  const index = join(scratch, 'index');
  const built = {
    program: builtProgram(options),
    args: [...folders.flatMap((folder) => ['--skills', folder]), '--index', index],
  };
  const queriesFile = queriesOf(options);
  const queries = await readQueries(queriesFile);
  const { skills } = await runIndex(built);
  return { ...built, folders, skills, index, queriesFile, queries };
}

export const skillFolders = ({ skills = [EXAMPLE_SKILLS] }: SetupOptions): readonly string[] =>
  skills.map((folder) => resolve(folder));

export const queriesOf = ({ queries = join(SHIPPED_DATASET, 'queries.jsonl') }: SetupOptions): string =>
  resolve(queries);

export const builtProgram = ({ program = here('../dist/skillgate.cjs') }: SetupOptions): string =>
  resolve(program);
