/**
 * `npm run fuzz -- [TARGET...] [--seconds N]`: runs the targets one after another with jazzer.js, which needs
 * `npm ci --prefix test/fuzz` first. Each target is bundled with the product code, so that the fuzzer sees the branches of both. New inputs
 * stay in test/fuzz/work; what a target throws is a finding, whose input lies there too.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const here = (...path: readonly string[]) => join(import.meta.dirname, ...path);
const SUFFIX = '.ts';
const TARGETS = readdirSync(here('targets')).map((name) => name.slice(0, -SUFFIX.length));
/** Targets that return when they are done: without a promise for each input they run many times faster. */
const SYNCHRONOUS = ['cursors', 'front-matter', 'markdown'];
/** Longest input, bytes: what a mutation changes should matter. */
const LONGEST = 4_096;
/** One input may take so long, s: a busy machine adds to it. */
const TIMEOUT_S = 60;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' } },
});
const jazzer = process.env.JAZZER ?? here('node_modules/@jazzer.js/core/dist/cli.js');
const unknown = positionals.filter((name) => !TARGETS.includes(name));
if (unknown.length > 0) fail(`There is no target ${unknown.join(', ')}: use ${TARGETS.join(', ')}.`);
if (!existsSync(jazzer)) fail('jazzer.js is not installed: run npm ci --prefix test/fuzz.');

for (const target of positionals.length > 0 ? positionals : TARGETS) {
  const work = here('work', target);
  mkdirSync(join(work, 'corpus'), { recursive: true });
  await build({
    entryPoints: [here('targets', target + SUFFIX)],
    outfile: join(work, 'target.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
    define: { 'import.meta.url': 'ownUrl', 'import.meta.dirname': '__dirname' },
    banner: { js: "const ownUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
  const seeds = here('seeds', target);
  const { status } = spawnSync(
    process.execPath,
    [
      jazzer,
      join(work, 'target.cjs'),
      join(work, 'corpus'),
      ...(existsSync(seeds) ? [seeds] : []),
      '--includes=target.cjs',
      ...(SYNCHRONOUS.includes(target) ? ['--sync'] : []),
      '--timeout',
      String(TIMEOUT_S * 1_000),
      '--',
      `-max_total_time=${values.seconds}`,
      `-max_len=${LONGEST}`,
      `-artifact_prefix=${work}/`,
      '-print_final_stats=1',
      ...(existsSync(`${seeds}.dict`) ? [`-dict=${seeds}.dict`] : []),
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) fail(`${target}: the input of the finding is in ${work}.`);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
