/** `skillgate run`: a script of a skill, in the same sandbox and under the same configuration as for agents. */

import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { gatewaysFor } from '../../gateway/policy/gateways.ts';
import { LOCAL } from '../../gateway/principal.ts';
import {
  type ScriptInput,
  type ScriptOutcome,
  type Scripts,
  succeeded,
} from '../../gateway/scripts/scripts.ts';
import { endingOf } from '../../mcp/script-answer.ts';
import { bytes } from '../config/units.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { colours, print, printJson, say } from '../output.ts';
import { policyOf } from '../policy.ts';
import { openScriptsFor } from '../scripts.ts';
import { type CommonOptions, surroundings } from '../settings.ts';
import { withLibrary } from './with-gateway.ts';

export interface RunScriptOptions extends CommonOptions {
  readonly arguments?: string;
  readonly stdin?: boolean;
  readonly file?: readonly string[];
  readonly output?: string;
  readonly timeout?: number;
}

/** Files taken back at most. */
const MOST_FILES = 10_000;

export async function run(
  skill: string,
  script: string,
  words: readonly string[],
  options: RunScriptOptions,
): Promise<void> {
  const input = inputOf(words, options);
  const outcome = await withLibrary(options, async (library, { config }) => {
    if (!config.scripts.enabled)
      throw new CliError(
        EXIT.failed,
        'Running scripts is switched off. In skillgate.config.json set scripts.enabled, and name in scripts.sources and scripts.skills whose scripts may be run.',
      );
    const policy = policyOf(config);
    const keep = { files: MOST_FILES, bytes: bytes(config.scripts.workSize) };
    const scripts = openScriptsFor(config, library, policy, surroundings(), { keep });
    try {
      const gateway = gatewaysFor(library, policy)(LOCAL);
      const prepared = await scripts.prepare(
        {
          skill,
          script,
          input,
          ...(options.timeout !== undefined && { timeoutMs: options.timeout * 1_000 }),
        },
        { principal: LOCAL, gateway },
      );
      const done = await prepared.run({ signal: onInterrupt() });
      if (options.output !== undefined) await save(done, scripts, options.output);
      return done;
    } finally {
      await scripts.close();
    }
  });
  if (options.json === true) printJson(outcome);
  else show(outcome, options);
  if (!succeeded(outcome)) process.exitCode = EXIT.failed;
}

function inputOf(words: readonly string[], options: RunScriptOptions): ScriptInput {
  const files = (options.file ?? []).map((path) => ({ path: basename(path), bytes: fileAt(path) }));
  if (options.arguments === undefined) {
    const stdin = options.stdin === true ? readFileSync(0) : new Uint8Array();
    return { kind: 'plain', words, stdin, files };
  }
  if (words.length > 0 || options.stdin === true || files.length > 0)
    throw new CliError(
      EXIT.usage,
      '--arguments says everything: words after --, --stdin and --file go without it.',
    );
  const values = z.record(z.string(), z.unknown()).safeParse(jsonIn(options.arguments));
  if (!values.success) throw new CliError(EXIT.usage, '--arguments takes a JSON object.');
  return { kind: 'named', values: values.data };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fileAt(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new CliError(EXIT.usage, `--file ${path} cannot be read.`, cause);
  }
}

/** Ctrl-C ends the script; what it has printed is shown. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}

async function save({ files }: ScriptOutcome, scripts: Scripts, folder: string): Promise<void> {
  for (const { path, uri } of files) {
    const found = scripts.output(uri, LOCAL);
    if (found === null) continue;
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, found.bytes);
  }
}

function show(outcome: ScriptOutcome, { output }: RunScriptOptions): void {
  if (outcome.stdout !== '') print(outcome.stdout.replace(/\n$/, ''));
  if (outcome.stderr !== '') say(outcome.stderr.replace(/\n$/, ''));
  const { files, leftOut, traffic, cpuMs, peakBytes } = outcome;
  if (outcome.truncated) say(colours.yellow('The output was cut.'));
  for (const { path, size } of files)
    say(colours.dim(`${output === undefined ? 'left' : 'saved'} ${JSON.stringify(path)} (${size} bytes)`));
  for (const { domain, reason } of traffic.refused) say(colours.yellow(`not reached ${domain}: ${reason}`));
  for (const { path, reason } of leftOut) say(colours.yellow(`left out ${JSON.stringify(path)}: ${reason}`));
  if (files.length > 0 && output === undefined) say(colours.dim('--output DIR saves these files.'));
  if (!succeeded(outcome)) say(`${colours.red('skillgate:')} ${endingOf(outcome)}`);
  else
    say(colours.dim(`${endingOf(outcome)} CPU ${cpuMs} ms, memory ${Math.round(peakBytes / 2 ** 20)} MiB.`));
}
