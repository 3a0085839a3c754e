/** The built program indexes, and checks a large catalog, in threads: searches do not wait for them. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { connected } from './client.ts';
import { freshWorkplace, skillFile } from './command.ts';

const place = freshWorkplace();

/** More than a call waits for, so that they are checked in a thread. */
const SKILLS = 5_100;
/** Writes the script of each thread that is started to a file. */
const RECORD = `const threads = require('node:worker_threads');
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(script, options) {
    require('node:fs').appendFileSync(process.env.STARTED, script + '\\n');
    super(script, options);
  }
};`;

it('indexes, and checks thousands of skills, in threads', { timeout: 240_000 }, async () => {
  for (let at = 0; at < SKILLS; at += 1) place.write(`skills/s-${at}/SKILL.md`, skillFile(`s-${at}`, 'Mend'));
  const started = join(place.folder, 'started');
  const env = { STARTED: started, NODE_OPTIONS: `--require ${place.write('record.cjs', RECORD)}` };
  const threads = () => (existsSync(started) ? readFileSync(started, 'utf8').match(/[\w-]+(?=\.js$)/gm) : []);

  const indexing = place.startWith(env, 'index', '--skills', 'skills', '--index', 'index');
  expect((await indexing.finished).code).toBe(0);
  expect(new Set(threads())).toEqual(new Set(['worker']));

  const server = place.server('--skills', 'skills', '--index', 'index');
  const client = await connected({ ...server, env: { ...server.env, ...env } });
  await client.callTool({ name: 'search_skills', arguments: { query: 'mend a sock' } });
  await vi.waitFor(() => expect(threads()).toContain('background'), { timeout: 30_000 });
});
