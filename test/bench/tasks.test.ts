import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_SKILLS, here } from '../../bench/paths.ts';
import { call, callSettings } from '../../bench/tasks/call.ts';
import { fillCatalog } from '../../bench/tasks/catalog.ts';
import { hostList } from '../../bench/tasks/prepare.ts';
import { outcomeOf, readRuns, runsTable } from '../../bench/tasks/replay.ts';
import { COMPANY_SKILLS, callSchema, readTasks, rowsOf } from '../../bench/tasks/tasks.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const folder = () => temporaryFolder();
const tasks = readTasks();

describe('the catalog of a working folder', () => {
  it('holds the 30 skills with their references, and as many others as are asked for', async () => {
    const at = folder();
    const skills = await fillCatalog(at, { skills: [EXAMPLE_SKILLS], size: 5, seed: 1 });
    expect(skills).toHaveLength(35);
    expect(readdirSync(at).sort()).toEqual(skills.map(({ name }) => name));
    expect(readdirSync(join(at, 'part-numbers', 'references'))).toEqual(['classes.md']);
    const again = await fillCatalog(folder(), { skills: [EXAMPLE_SKILLS], size: 5, seed: 1 });
    expect(again).toEqual(skills);
  });

  it('has each name once', async () => {
    const skills = await fillCatalog(folder(), { skills: [COMPANY_SKILLS], size: 5, seed: 1 });
    expect(skills).toHaveLength(30);
  });
});

describe('the list of the host', () => {
  const skills = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      name: `s-${String(at).padStart(3, '0')}`,
      description: 'x'.repeat(95),
    }));

  it('has whole descriptions where there is room', () => {
    expect(hostList(skills(2)).list).toBe(`- s-000: ${'x'.repeat(95)}\n- s-001: ${'x'.repeat(95)}`);
  });

  it('has only the names of those for which the budget of 8,000 characters has no room', () => {
    // 100 names take 100 · (5 + 4) = 900; 7,100 are left for 74 descriptions of 95.
    const { list, withDescription } = hostList(skills(100));
    expect(withDescription.size).toBe(74);
    expect(list.split('\n').slice(73, 75)).toEqual([`- s-073: ${'x'.repeat(95)}`, '- s-074']);
  });
});

describe('a call of the host', () => {
  const settings = callSettings.parse({ way: 'host', catalog: COMPANY_SKILLS, server: [] });

  it('loads a skill without its front matter, reads its files, and is logged', async () => {
    const log = join(folder(), 'calls.jsonl');
    const loaded = await call(settings, log, ['t19', 'load', '{"skill":"part-numbers"}']);
    expect(loaded).toMatch(/^Files: references\/classes\.md\n\n+# Part numbers\n/);
    const read = await call(settings, log, [
      't19',
      'read',
      '{"skill":"part-numbers","path":"references/classes.md"}',
    ]);
    expect(read).toMatch(/^# Classes of parts/);
    expect(await call(settings, log, ['t19', 'load', '{"skill":"parts"}'])).toBe('There is no skill parts.');
    const rows = rowsOf(readFileSync(log, 'utf8'), callSchema);
    expect(rows.map(({ tool, skill }) => [tool, skill])).toEqual([
      ['load', 'part-numbers'],
      ['read', 'part-numbers'],
      ['load', null],
    ]);
  });

  it('reads nothing outside of the skills', async () => {
    const log = join(folder(), 'calls.jsonl');
    for (const [tool, args] of [
      ['read', { skill: 'part-numbers', path: '../invoice-numbers/SKILL.md' }],
      ['load', { skill: '..' }],
      ['search_skills', { query: 'x' }],
    ] as const)
      expect(await call(settings, log, ['t19', tool, JSON.stringify(args)])).not.toContain('#');
  });
});

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
