/** Recorded answers and calls → what each way solved, loaded and cost. No model is needed. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mean } from '../evaluation/statistics.ts';
import { columns, percent } from '../evaluation/table.ts';
import { check, type Verdict } from './checks.ts';
import { type Call, callSchema, rowsOf, type Setup, setupSchema, type Task, WAYS } from './tasks.ts';

export interface Outcome extends Verdict {
  readonly task: string;
  /** Names of the skills that were loaded, in order. */
  readonly loaded: readonly string[];
  readonly isRightLoaded: boolean;
  readonly calls: number;
  /** Of all calls. */
  readonly tokens: number;
}

export interface Run {
  readonly setup: Setup;
  /** Name of the run's folder. */
  readonly name: string;
  readonly outcomes: readonly Outcome[];
}

const LOADING = ['load', 'load_skill'];

/** What one task came to. `answer` is null where there is no file. */
export function outcomeOf(task: Task, answer: string | null, calls: readonly Call[]): Outcome {
  const own = calls.filter((call) => call.task === task.id);
  const loaded = own.flatMap(({ tool, skill }) => (LOADING.includes(tool) && skill !== null ? [skill] : []));
  return {
    task: task.id,
    ...check(task.id, answer ?? ''),
    loaded,
    isRightLoaded: loaded.includes(task.skill),
    calls: own.length,
    tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** The run in `folder`: `setup.json`, `calls.jsonl`, and a file for each answer. */
export function readRun(folder: string, name: string, tasks: readonly Task[]): Run {
  const textOf = (file: string) =>
    existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : null;
  const setup = setupSchema.parse(JSON.parse(readFileSync(join(folder, 'setup.json'), 'utf8')));
  const calls = rowsOf(textOf('calls.jsonl') ?? '', callSchema);
  const outcomes = tasks.map((task) =>
    outcomeOf(task, textOf(`${task.id}.txt`) ?? textOf(`answers/${task.id}.txt`), calls),
  );
  return { setup, name, outcomes };
}

/** All runs below `folder`, as `WAY/RUN/`, in order of ways and names. */
export function readRuns(folder: string, tasks: readonly Task[]): readonly Run[] {
  return WAYS.filter((way) => existsSync(join(folder, way))).flatMap((way) =>
    readdirSync(join(folder, way))
      .sort()
      .map((name) => readRun(join(folder, way, name), name, tasks)),
  );
}

/** One row for each run. */
export function runsTable(runs: readonly Run[]): string {
  const head = [
    'way',
    'run',
    'skills',
    'described',
    'solved, %',
    'right skill loaded, %',
    'only a wrong one, %',
    'none, %',
    'tokens before',
    'tokens of calls',
    'calls',
  ];
  const rows = runs.map(({ setup, name, outcomes }) => {
    const share = (is: (outcome: Outcome) => boolean) =>
      percent(mean(outcomes.map((one) => Number(is(one)))));
    return [
      setup.way,
      name,
      String(setup.skills),
      setup.way === 'host' ? String(setup.described) : '–',
      share(({ passed }) => passed),
      share(({ isRightLoaded }) => isRightLoaded),
      share(({ isRightLoaded, loaded }) => !isRightLoaded && loaded.length > 0),
      share(({ loaded }) => loaded.length === 0),
      setup.promptTokens.toLocaleString('en-US'),
      mean(outcomes.map(({ tokens }) => tokens)).toFixed(0),
      mean(outcomes.map(({ calls }) => calls)).toFixed(1),
    ];
  });
  return columns([head, ...rows], [0, 1]);
}

/** What was not solved, and why. */
export const failuresOf = (runs: readonly Run[]): string =>
  runs
    .flatMap(({ setup, name, outcomes }) =>
      outcomes
        .filter(({ passed }) => !passed)
        .map(
          ({ task, reason, loaded }) =>
            `${setup.way}/${name} ${task}: ${reason}; loaded: ${loaded.join(', ') || 'nothing'}`,
        ),
    )
    .join('\n');
