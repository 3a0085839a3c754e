/** `skillgate usage`: what was wanted and what it led to, from the audit log; `--export` makes a query set of it. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { processEnvironment } from '../../../src/app/configured.ts';
import type { CommonOptions } from '../../../src/app/extension-api.ts';
import { errorMessage } from '../../../src/base/errors.ts';
import { counted } from '../../../src/base/text.ts';
import { withLibrary } from '../../../src/cli/commands/with-gateway.ts';
import { CliError } from '../../../src/cli/exit-codes.ts';
import { clip, colours, print, printReport, width } from '../../../src/cli/output.ts';
import { findUnnamedTools, printUnnamedTools } from '../../remote-sources/uncovered-tools.ts';
import { type LoggedCall, readCalls } from '../calls.ts';
import { type Need, summariseUsage, toQuerySet, type Usage } from '../usage.ts';

/** Lines of each list that are printed by default; the JSON has all. */
const PRINTED = 10;

export interface UsageOptions extends CommonOptions {
  readonly export?: string;
}

export async function usage(files: readonly string[], options: UsageOptions): Promise<void> {
  await withLibrary(options, async (library, settings) => {
    const logs = logFiles(files, settings.config.telemetry.audit);
    if (logs.length === 0)
      throw new CliError(
        'USAGE',
        'Usage is counted from the audit log, and none is configured. Set telemetry.audit to a file, or name a log.',
      );
    const calls = readLog(logs);
    if (options.export !== undefined) return exportTo(options.export, calls);
    const { reader, embedder } = await library.current();
    const ids = Array.from(reader.ordinalsByKey(), (ordinal) => reader.key(ordinal));
    const report = await summariseUsage(calls, ids, embedder);
    const unnamed = await findUnnamedTools(settings);
    if (options.json === true) return printReport({ ...report, ...unnamed });
    show(report, ids.length);
    printUnnamedTools(unnamed);
  });
}

/** The named logs, else the configured one; empty where there is none that can be read back. */
export function logFiles(files: readonly string[], configured: string | undefined): readonly string[] {
  const { cwd } = processEnvironment();
  const own = configured === undefined || configured === 'stderr' ? [] : [configured];
  return files.length > 0 ? files.map((file) => resolve(cwd, file)) : own;
}

export function readLog(files: readonly string[]): LoggedCall[] {
  return files.flatMap((file) => {
    try {
      return readCalls(file);
    } catch (cause) {
      throw new CliError('USAGE', `The audit log ${file} cannot be read: ${errorMessage(cause)}`, { cause });
    }
  });
}

function exportTo(folder: string, calls: readonly LoggedCall[]): void {
  if (existsSync(join(folder, 'queries.jsonl')))
    throw new CliError(
      'USAGE',
      `${folder} already holds queries.jsonl, and nothing was written. Choose another folder.`,
    );
  const { queries, qrels } = toQuerySet(calls);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'queries.jsonl'), queries);
  writeFileSync(join(folder, 'qrels.tsv'), qrels);
  print(
    `Wrote queries.jsonl and qrels.tsv to ${folder}. A request is judged by the skills that were loaded after it: check them, then run eval with both files.`,
  );
}

function show({ searches, loads, needs, weak, neverFound, neverLoaded }: Usage, skills: number): void {
  print(
    `${counted(searches, 'search', 'searches')} for ${counted(needs.length, 'need')}, ${counted(loads, 'load')}.`,
  );
  list('Most wanted:', needs.map(needLine));
  list('Weak answers, with nothing that seems to fit:', weak.map(needLine));
  list(
    'First in answers, or found many times, and never loaded: the description may promise something else than the skill does.',
    neverLoaded.map(
      ({ id, first, found }) => `${id}  first ${counted(first, 'time')}, found ${counted(found, 'time')}`,
    ),
  );
  list(`Never found, of ${counted(skills, 'skill')}:`, neverFound);
}

function needLine({ request, times, weak, loaded, requests }: Need): string {
  const facts = [
    counted(times, 'search', 'searches'),
    ...(requests.length > 1 ? [`in ${requests.length} wordings`] : []),
    ...(weak > 0 ? [`${weak} weak`] : []),
    `${counted(loaded, 'load')} after it`,
  ].join(', ');
  return `${clip(request, Math.max(20, width() - facts.length - 4))}  ${colours.dim(facts)}`;
}

function list(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  print(colours.bold(title));
  for (const line of lines.slice(0, PRINTED)) print(`  ${line}`);
  if (lines.length > PRINTED) print(colours.dim(`  and ${lines.length - PRINTED} more; --json has all`));
}
