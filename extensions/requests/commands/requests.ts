/** `skillgate requests`: which skills carry requests; a batch of cards for an agent; what it wrote, checked; and its removal. */

import { readFileSync } from 'node:fs';
import { processEnvironment } from '../../../src/app/configured.ts';
import type { CommonOptions, Settings } from '../../../src/app/extension-api.ts';
import { readSettings } from '../../../src/app/settings.ts';
import { errorMessage } from '../../../src/base/errors.ts';
import { counted } from '../../../src/base/text.ts';
import { withGateway } from '../../../src/cli/commands/with-gateway.ts';
import { CliError } from '../../../src/cli/exit-codes.ts';
import { print, printReport, printText, say } from '../../../src/cli/output.ts';
import type { KeptRequests } from '../../../src/sources/kept-requests.ts';
import { BATCH, batchOf } from '../batch.ts';
import { type Checked, checkLines } from '../check.ts';
import { KeptFile } from '../kept-file.ts';
import { filesOfSources, listRows, type SkillRow, type State } from '../skills.ts';

/** Bytes of what is added at once: 8 requests of 10,000 skills. */
const MAX_INPUT = 16 * 2 ** 20;
/** Lines of each list that are printed; the JSON has all. */
const PRINTED = 20;

interface Opened {
  readonly rows: readonly SkillRow[];
  readonly files: ReadonlyMap<string, string>;
  /** Indexes what was written, and reads the rows again. */
  again(): Promise<readonly SkillRow[]>;
}

async function withRows<T>(options: CommonOptions, use: (opened: Opened) => Promise<T>): Promise<T> {
  const files = filesOfSources((await settingsOf(options)).sources);
  sayBroken(files);
  return withGateway(options, async (gateway, library) => {
    const list = () => listRows(gateway, library, files);
    return use({
      rows: await list(),
      files,
      async again() {
        library.notice();
        return list();
      },
    });
  });
}

const settingsOf = (options: CommonOptions): Promise<Settings> => readSettings(options, processEnvironment());

function sayBroken(files: ReadonlyMap<string, string>): void {
  for (const file of new Set(files.values())) {
    const broken = new KeptFile(file).broken();
    if (broken.length > 0)
      say(`${file}: ${counted(broken.length, 'line')} hold no requests (the first is line ${broken[0]}).`);
  }
}

export async function list(options: CommonOptions): Promise<void> {
  await withRows(options, async ({ rows }) => {
    const ids = (state: State) => rows.flatMap((row) => (row.state === state ? row.entry.id : []));
    const [without, old] = [ids('none'), ids('old')];
    const counts = { skills: rows.length, author: ids('author').length, agent: ids('agent').length };
    if (options.json === true) return printReport({ ...counts, without, old });
    print(
      `${counted(rows.length, 'skill')}: ${counts.author} with requests of their authors, ${counts.agent + old.length} with requests of an agent, ${without.length} without.`,
    );
    show('Without requests', without);
    show('Changed since their requests were written', old);
    if (without.length + old.length > 0) print('An agent writes them: skillgate requests write');
  });
}

function show(title: string, ids: readonly string[]): void {
  if (ids.length === 0) return;
  print(`${title}:`);
  for (const id of ids.slice(0, PRINTED)) print(`  ${id}`);
  if (ids.length > PRINTED) print(`  and ${ids.length - PRINTED} more (--json lists all)`);
}

export async function write(options: CommonOptions & { readonly size?: number }): Promise<void> {
  await withRows(options, async ({ rows }) => {
    const batch = batchOf(rows, options.size ?? BATCH);
    if (options.json === true) printReport(batch);
    else printText(`${batch.text}\n`);
  });
}

export async function add(file: string | undefined, options: CommonOptions): Promise<void> {
  const text = readLines(file);
  await withRows(options, async ({ rows, files, again }) => {
    const { accepted, refused, notes } = checkLines(text, rows);
    await keep(accepted, files);
    const left = batchOf(accepted.size > 0 ? await again() : rows, 0).left;
    if (options.json === true) printReport({ written: accepted.size, left, refused, notes });
    else {
      for (const { line, reason } of [...refused, ...notes].sort((a, b) => a.line - b.line))
        say(`line ${line}: ${reason}`);
      print(
        `Requests of ${counted(accepted.size, 'skill')} are kept, ${counted(refused.length, 'line')} refused. ${counted(left, 'skill')} left${left > 0 ? ': skillgate requests write' : ''}.`,
      );
    }
    if (refused.length > 0) process.exitCode = 1;
  });
}

/** Throws where a source keeps none, before anything is written. */
async function keep(accepted: Checked['accepted'], files: Opened['files']): Promise<void> {
  const byFile = new Map<string, KeptRequests[]>();
  for (const [{ key, entry }, requests] of accepted) {
    const file = files.get(entry.source);
    if (file === undefined)
      throw new CliError(
        'FAILED',
        `The source ${entry.source} has no place for requests. Nothing was written.`,
      );
    byFile.set(file, [...(byFile.get(file) ?? []), { skill: key, digest: entry.digest, requests }]);
  }
  for (const [file, kept] of byFile) await new KeptFile(file).put(kept);
}

function readLines(file: string | undefined): string {
  if (file === undefined && process.stdin.isTTY === true)
    throw new CliError('USAGE', 'Name a file with lines of JSON, or pass them to standard input.');
  try {
    const bytes = readFileSync(file ?? 0);
    if (bytes.length <= MAX_INPUT) return bytes.toString('utf8');
  } catch (cause) {
    throw new CliError('USAGE', `${file ?? 'Standard input'} cannot be read: ${errorMessage(cause)}`, {
      cause,
    });
  }
  throw new CliError('USAGE', `These are more than ${MAX_INPUT / 2 ** 20} MiB. Add them in parts.`);
}

/** Works on the files alone: also for skills that are gone. */
export async function remove(
  skills: readonly string[],
  options: CommonOptions & { readonly all?: boolean },
): Promise<void> {
  if ((options.all === true) === skills.length > 0)
    throw new CliError('USAGE', 'Name skills, or --all to remove all requests that an agent wrote.');
  const files = [...new Set(filesOfSources((await settingsOf(options)).sources).values())];
  const wanted = new Set(skills);
  const isWanted = ({ skill }: { readonly skill: string }) =>
    options.all === true || wanted.has(skill) || wanted.has(skill.slice(skill.indexOf(':') + 1));
  let removed = 0;
  for (const file of files) removed += await new KeptFile(file).remove(isWanted);
  if (removed === 0 && options.all !== true)
    throw new CliError('NOT_FOUND', 'No requests of these skills are kept.');
  if (options.json === true) printReport({ removed });
  else print(`Removed the requests of ${counted(removed, 'skill')}.`);
}
