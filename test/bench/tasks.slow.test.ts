/** A working folder of each way, made with the built server, and a run in it, recorded and replayed. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLE_SKILLS, here } from '../../bench/paths.ts';
import { prepare } from '../../bench/tasks/prepare.ts';
import { readRun } from '../../bench/tasks/replay.ts';
import { readTasks, type Setup, WAYS, type Way } from '../../bench/tasks/tasks.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const root = temporaryFolder();
const setups = new Map<Way, Setup>();

beforeAll(async () => {
  for (const way of WAYS)
    setups.set(
      way,
      await prepare({
        way,
        out: join(root, way),
        skills: [EXAMPLE_SKILLS],
        size: 20,
        seed: 1,
        program: here('../dist/skillgate.js'),
      }),
    );
});

const promptOf = (way: Way) => readFileSync(join(root, way, 'PROMPT.md'), 'utf8');
const ask = (way: Way, ...words: readonly string[]) =>
  execFileSync(process.execPath, [join(root, way, 'skills.mjs'), ...words], { encoding: 'utf8' });

describe('a working folder', () => {
  it('has a whole prompt, the requests and their files', () => {
    for (const way of WAYS) expect(promptOf(way)).not.toContain('{{');
    const requests = readFileSync(join(root, 'none', 'requests.md'), 'utf8');
    for (const { id, request, skill } of readTasks()) {
      expect(requests).toContain(`## ${id}\n\n${request}`);
      expect(requests).not.toContain(`"${skill}"`);
    }
    expect(readFileSync(join(root, 'none', 'files', 't02', 'change.diff'), 'utf8')).toContain('median');
  });

  it('presents no skills, the names, or the tools of the server', () => {
    expect(setups.get('none')).toMatchObject({ skills: 0, promptTokens: 0 });
    expect(promptOf('none')).not.toContain('part-numbers');
    expect(promptOf('host')).toContain('\n- part-numbers');
    expect(setups.get('host')).toMatchObject({ skills: 50 });
    expect(promptOf('skillgate')).toContain('"name":"search_skills"');
    expect(promptOf('skillgate')).not.toContain('part-numbers');
  });

  it('answers a search, a load and a file by the server, and logs them for the replay', () => {
    expect(
      ask('skillgate', 't19', 'search_skills', '{"query":"number for a new purchased cable"}'),
    ).toContain('part-numbers');
    expect(ask('skillgate', 't19', 'load_skill', '{"skill":"part-numbers"}')).toContain('# Part numbers');
    expect(
      ask('skillgate', 't19', 'read_reference', '{"skill":"part-numbers","path":"references/classes.md"}'),
    ).toContain('# Classes of parts');
    ask('skillgate', 't19', 'load_skill', '{"skill":"no-such-skill"}');
    writeFileSync(join(root, 'skillgate', 'answers', 't19.txt'), '529-1188-X\n');
    const { outcomes } = readRun(join(root, 'skillgate'), 'one', readTasks());
    expect(outcomes.filter(({ passed }) => passed)).toEqual([
      expect.objectContaining({ task: 't19', loaded: ['part-numbers'], isRightLoaded: true, calls: 4 }),
    ]);
  });
});
