/** The tasks, the ways to present skills, and where they are kept. */

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { here } from '../paths.ts';

export const WAYS = ['none', 'host', 'skillgate'] as const;
export type Way = (typeof WAYS)[number];

const task = z.strictObject({
  id: z.string().regex(/^t\d\d$/),
  /** Name of the skill that holds what is needed. */
  skill: z.string(),
  /** What a person asks. */
  request: z.string(),
  /** Texts that come with the request, by file name. */
  files: z.record(z.string(), z.string()).default({}),
});
export type Task = z.infer<typeof task>;

/** The made-up company's skills, a folder each. */
export const COMPANY_SKILLS = here('tasks/skills');
export const PROMPTS = here('tasks/prompts');

/** In the order of the file. Throws if a line is no task. */
export const readTasks = (): readonly Task[] => rowsOf(readFileSync(here('tasks/tasks.jsonl'), 'utf8'), task);

/** What is known of a working folder: kept with its answers. */
export const setupSchema = z.strictObject({
  way: z.enum(WAYS),
  /** Skills of the catalog, the company's included. */
  skills: z.number(),
  /** Of the random draw. */
  seed: z.number(),
  /** Tokens that the way adds to the prompt, before anything is called. */
  promptTokens: z.number(),
  /** How many of the company's skills have a description in the prompt. */
  described: z.number(),
  /** Who answered: model, agent, day. Of recorded runs. */
  by: z.string().optional(),
});
export type Setup = z.infer<typeof setupSchema>;

/** One call that a solver made. */
export const callSchema = z.strictObject({
  task: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** Of arguments and answer. */
  tokens: z.number(),
  /** Name of the skill that was loaded, or whose file was read; null for any other call and for one that failed. */
  skill: z.string().nullable(),
});
export type Call = z.infer<typeof callSchema>;

export const rowsOf = <T>(text: string, schema: z.ZodType<T>): T[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => schema.parse(JSON.parse(line)));
