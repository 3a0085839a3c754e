import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { here } from '../../bench/paths.ts';
import { readRuns, runsTable } from '../../bench/tasks/replay.ts';
import { readTasks } from '../../bench/tasks/tasks.ts';

const tasks = readTasks();

describe('a replay', () => {
  it('of the recorded answers gives the table of RESULTS.md', () => {
    const runs = readRuns(here('tasks/answers'), tasks);
    const section = /<!-- begin: tasks -->[\s\S]*?```text\n([\s\S]*?)```/.exec(
      readFileSync(here('RESULTS.md'), 'utf8'),
    );
    expect(section?.[1]).toBe(runs.length === 0 ? undefined : runsTable(runs));
  });
});
