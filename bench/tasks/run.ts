/**
 * `npm run bench -- tasks`: 30 tasks that need what only a made-up company's skills say, done by a model without skills, with a host's
 * list, and with skillgate. Without options it replays the recorded answers. `--prepare` makes a working folder for a solver, `--record`
 * keeps what it left there. `README.md` says how to run it with any agent.
 */

import { copyFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_SKILLS, here } from '../paths.ts';
import { publish } from '../results-file.ts';
import { prepare } from './prepare.ts';
import { failuresOf, type Run, readRun, readRuns, runsTable } from './replay.ts';
import { readTasks, type Way } from './tasks.ts';

interface TasksOptions {
  readonly prepare?: Way;
  readonly out?: string;
  readonly skills?: readonly string[];
  readonly size: number;
  readonly seed: number;
  readonly program?: string;
  /** A working folder whose answers are kept as the run `run`. */
  readonly record?: string;
  readonly run?: string;
  readonly by?: string;
  readonly answers: string;
  /** Lists what was not solved. */
  readonly failures?: true;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

export async function measureTasks(options: TasksOptions): Promise<void> {
  if (options.prepare !== undefined) return prepareFolder(options, options.prepare);
  if (options.record !== undefined) keep(options, options.record);
  const runs = readRuns(options.answers, readTasks());
  const figures = runs.length === 0 ? 'No answers are recorded yet.' : runsTable(runs);
  await publish(
    {
      name: 'tasks',
      title: 'Whole tasks',
      figures,
      conditions: conditionsOf(runs),
    },
    options.write,
  );
  if (options.failures === true) process.stdout.write(`${failuresOf(runs)}\n`);
}

function conditionsOf(runs: readonly Run[]): string {
  const by = [...new Set(runs.map(({ setup, name }) => `${setup.way}/${name}: ${setup.by}`))].join('; ');
  return `30 tasks, each with one of 30 skills of a made-up company that holds what a model cannot know, among others drawn at random; a program checks the answers. Replayed from \`bench/tasks/answers\`; \`bench/tasks/README.md\` says how they were made. described: how many of the 30 skills have their description in the list. tokens before: what presents the skills in the prompt; tokens of calls: searches, loads and files, with their answers, mean of a task. ${by}.`;
}

async function prepareFolder(options: TasksOptions, way: Way): Promise<void> {
  const { out, skills = [EXAMPLE_SKILLS], size, seed } = options;
  if (out === undefined) throw new Error('Name a new folder with --out.');
  const program = options.program ?? here('../dist/skillgate.cjs');
  const setup = await prepare({ way, out, skills, size, seed, program });
  process.stdout.write(
    `${out}: ${setup.skills} skills, ${setup.promptTokens} tokens before. Give its PROMPT.md to an agent that works there.\n`,
  );
}

/** Copies a run into the repository. Throws if the run is there already, or nobody says who answered. */
function keep({ answers, run, by }: TasksOptions, folder: string): void {
  if (run === undefined || by === undefined)
    throw new Error(
      'Name the run with --run, as model-1, and who answered with --by, as "model, agent, 2026-11-24".',
    );
  const { setup } = readRun(folder, run, []);
  const target = join(answers, setup.way, run);
  if (existsSync(target)) throw new Error(`${target} exists: name another run.`);
  mkdirSync(target, { recursive: true });
  cpSync(join(folder, 'answers'), target, { recursive: true });
  for (const file of ['PROMPT.md', 'calls.jsonl'])
    if (existsSync(join(folder, file))) copyFileSync(join(folder, file), join(target, file));
  writeFileSync(join(target, 'setup.json'), `${JSON.stringify({ ...setup, by }, null, 2)}\n`);
}
