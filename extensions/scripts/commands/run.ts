/** `skillgate run`: runs a script of a skill, in the sandbox and with the configuration that apply to agents. */

import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { processEnvironment } from '../../../src/app/configured.ts';
import type { CommonOptions } from '../../../src/app/extension-api.ts';
import { parseJson } from '../../../src/base/json.ts';
import { counted } from '../../../src/base/text.ts';
import { sayRulesForEverybody, withAudit, withLibrary } from '../../../src/cli/commands/with-gateway.ts';
import { CliError, EXIT } from '../../../src/cli/exit-codes.ts';
import { colours, printReport, printText, say, sayText } from '../../../src/cli/output.ts';
import { gatewaysFor } from '../../../src/gateway/pipeline.ts';
import { compilePolicy } from '../../../src/gateway/policy/policy.ts';
import { LOCAL } from '../../../src/gateway/policy/principal.ts';
import {
  type ScriptInput,
  type ScriptOutcome,
  type Scripts,
  succeeded,
} from '../../../src/gateway/scripts.ts';
import { exitSentence } from '../mcp/script-answer.ts';
import { openScriptsFor, RUN_LIMITS } from '../open-scripts.ts';

export interface RunScriptOptions extends CommonOptions {
  readonly arguments?: string;
  readonly stdin?: boolean;
  readonly file?: readonly string[];
  readonly output?: string;
  readonly timeout?: number;
}

/** The most output files that are copied back. */
const MAX_FILES = 10_000;

export async function run(
  skill: string,
  script: string,
  words: readonly string[],
  options: RunScriptOptions,
): Promise<void> {
  const input = parseInput(words, options);
  const outcome = await withLibrary(options, (library, { config }) =>
    withAudit(config, async (audit) => {
      if (!config.scripts.enabled)
        throw new CliError(
          'FAILED',
          'Running scripts is disabled. In skillgate.config.json set scripts.enabled, and list in scripts.sources and scripts.skills which scripts may run.',
        );
      const policy = compilePolicy(config.policy);
      sayRulesForEverybody(config);
      const keep = { files: MAX_FILES, bytes: RUN_LIMITS.workBytes };
      const scripts = openScriptsFor(config, library, policy, processEnvironment(), {
        keep,
        ...(audit !== null && { audit: (record) => audit.script(record) }),
      });
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
    }),
  );
  if (options.json === true) printReport(outcome);
  else show(outcome, options);
  if (!succeeded(outcome)) process.exitCode = EXIT.failed;
}

function parseInput(words: readonly string[], options: RunScriptOptions): ScriptInput {
  const files = (options.file ?? []).map((path) => ({ path: basename(path), bytes: fileAt(path) }));
  if (options.arguments === undefined) {
    const stdin = options.stdin === true ? readFileSync(0) : new Uint8Array();
    return { kind: 'plain', words, stdin, files };
  }
  if (words.length > 0 || options.stdin === true || files.length > 0)
    throw new CliError(
      'USAGE',
      '--arguments cannot be combined with words after --, with --stdin or with --file.',
    );
  const values = z.record(z.string(), z.unknown()).safeParse(parseJson(options.arguments));
  if (!values.success) throw new CliError('USAGE', '--arguments takes a JSON object.');
  return { kind: 'named', values: values.data };
}

function fileAt(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new CliError('USAGE', `--file ${path} cannot be read.`, { cause });
  }
}

/** Ctrl-C ends the script; its output so far is printed. */
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

/** Files, domains and entries left out that are printed, of each. */
const PRINTED = 20;

function show(outcome: ScriptOutcome, { output }: RunScriptOptions): void {
  if (outcome.stdout !== '') printText(outcome.stdout.replace(/\n$/, ''));
  if (outcome.stderr !== '') sayText(outcome.stderr.replace(/\n$/, ''));
  const { files, leftOut, traffic, cpuMs, peakBytes } = outcome;
  if (outcome.truncated) say(colours.yellow('The output was cut.'));
  for (const { path, size } of files.slice(0, PRINTED))
    say(
      colours.dim(
        `${output === undefined ? 'left' : 'saved'} ${JSON.stringify(path)} (${counted(size, 'byte')})`,
      ),
    );
  for (const { domain, reason } of traffic.refused.slice(0, PRINTED))
    say(colours.yellow(`not reached ${domain}: ${reason}`));
  for (const { path, reason } of leftOut.slice(0, PRINTED))
    say(colours.yellow(`left out ${JSON.stringify(path)}: ${reason}`));
  const more = [files, traffic.refused, leftOut].reduce(
    (sum, list) => sum + Math.max(0, list.length - PRINTED),
    0,
  );
  if (more > 0) say(colours.dim(`${counted(more, 'more line')}; --json has all.`));
  if (files.length > 0 && output === undefined) say(colours.dim('--output DIR saves these files.'));
  if (!succeeded(outcome)) say(`${colours.red('skillgate:')} ${exitSentence(outcome)}`);
  else
    say(
      colours.dim(`${exitSentence(outcome)} CPU ${cpuMs} ms, memory ${Math.round(peakBytes / 2 ** 20)} MiB.`),
    );
}
