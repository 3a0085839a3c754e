import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { here } from '../../bench/paths.ts';
import { outcomeOf, readRuns, runsTable } from '../../bench/tasks/replay.ts';
import { readTasks } from '../../bench/tasks/tasks.ts';

const tasks = readTasks();

describe('a replay', () => {
  const task = tasks.find(({ id }) => id === 't19')!;
  const row = (tool: string, skill: string | null, id = 't19') => ({
    task: id,
    tool,
    arguments: {},
    tokens: 10,
    skill,
  });

  it('counts what was loaded for the task, not what was read or loaded for another', () => {
    const calls = [
      row('search_skills', null),
      row('load_skill', 'list-prices'),
      row('load_skill', 'part-numbers'),
      row('read_reference', 'part-numbers'),
      row('load_skill', 'invoice-numbers', 't01'),
    ];
    expect(outcomeOf(task, '529-1188-X\n', calls)).toEqual({
      task: 't19',
      passed: true,
      reason: '',
      loaded: ['list-prices', 'part-numbers'],
      isRightLoaded: true,
      calls: 4,
      tokens: 40,
    });
    expect(outcomeOf(task, null, [])).toMatchObject({ passed: false, isRightLoaded: false, loaded: [] });
  });

  it('of the recorded answers gives the table of RESULTS.md', () => {
    const runs = readRuns(here('tasks/answers'), tasks);
    const section = /<!-- begin: tasks -->[\s\S]*?```text\n([\s\S]*?)```/.exec(
      readFileSync(here('RESULTS.md'), 'utf8'),
    );
    expect(section?.[1]).toBe(runs.length === 0 ? undefined : runsTable(runs));
  });
});
