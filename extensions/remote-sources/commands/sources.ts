/** `skillgate sources list|status|refresh`: lists the sources, prints how fresh they are, and refreshes them. */

import { locationText } from '../../../src/app/config/mask.ts';
import type { SourceConfig } from '../../../src/app/config/schema.ts';
import { processEnvironment } from '../../../src/app/configured.ts';
import type { CommonOptions, OpenSources, Settings } from '../../../src/app/extension-api.ts';
import { lockSources, openSources } from '../../../src/app/open-sources.ts';
import { readSettings } from '../../../src/app/settings.ts';
import { isThere, type SourceSettings } from '../../../src/app/source-settings.ts';
import { counted, suggestion } from '../../../src/base/text.ts';
import { CliError, EXIT } from '../../../src/cli/exit-codes.ts';
import { colours, print, printReport, say } from '../../../src/cli/output.ts';
import { trustedConfiguration, trustedSettings } from '../../../src/cli/trusting.ts';
import { type FetchedSource, isFetched } from '../../../src/sources/fetched.ts';
import { ageText, refreshAll } from '../../../src/sources/refresh.ts';
import type { Source } from '../../../src/sources/source.ts';
import { findUnnamedTools, printUnnamedTools } from '../uncovered-tools.ts';

/** Printed characters of a commit or digest: enough to be unique. */
const SHORT = 19;

/** All configured sources; or the folders of flags or defaults. */
export async function list(options: CommonOptions): Promise<void> {
  const environment = processEnvironment();
  const { file, sources } = await trustedConfiguration(options, environment);
  const rows =
    sources.length > 0 && !options.skills?.length
      ? sources.map(({ name, source }) => toRow(name, source))
      : (await readSettings(options, environment)).sources
          .filter(isThere)
          .map(({ name, config }) => toRow(name, config));
  if (options.json === true) {
    printReport({ file, sources: rows });
    return;
  }
  if (rows.length === 0) say('There are no sources. Add one with skillgate sources add.');
  for (const { name, kind, place } of rows) print(`${colours.bold(name)}  ${kind}  ${place}`);
}

const toRow = (name: string, source: SourceConfig) => ({
  name,
  kind: source.kind,
  place: locationText(source),
});

export async function status(options: CommonOptions): Promise<void> {
  await withSources(options, async (open, settings) => {
    const rows = await Promise.all(
      open.all.map(async (source, at) => toStatus(source, settings.sources[at], await countSkills(source))),
    );
    const unnamed = await findUnnamedTools(settings);
    if (options.json === true) {
      printReport({ file: settings.configFile, frozen: settings.frozen, sources: rows, ...unnamed });
      return;
    }
    if (rows.length === 0) say('There are no sources. Add one with skillgate sources add.');
    for (const row of rows) showStatus(row);
    printUnnamedTools(unnamed);
  });
}

function toStatus(source: Source | FetchedSource, settings: SourceSettings | undefined, skills: number) {
  const { name } = source;
  if (!isFetched(source)) {
    const origin = settings === undefined ? '' : locationText(settings.config);
    return {
      name,
      kind: 'local',
      origin,
      resolved: null,
      verifiedAt: null,
      ageMs: null,
      stale: false,
      failure: null,
      skills,
    };
  }
  const { kind, origin, resolved, verifiedAt, failure } = source.status();
  const ageMs = verifiedAt === null ? null : Math.max(0, Date.now() - Date.parse(verifiedAt));
  const stale = failure !== null || ageMs === null || ageMs > source.refreshMs;
  return { name, kind, origin, resolved, verifiedAt, ageMs, stale, failure, skills };
}

function showStatus({
  name,
  kind,
  origin,
  resolved,
  ageMs,
  stale,
  failure,
  skills,
}: ReturnType<typeof toStatus>): void {
  print(`${colours.bold(name)}  ${kind}  ${origin}  ${counted(skills, 'skill')}`);
  if (kind === 'local') return;
  const age = ageMs === null ? 'never fetched' : `verified ${ageText(ageMs)} ago${stale ? ', stale' : ''}`;
  print(
    `    ${resolved === null ? '' : `${resolved.slice(0, SHORT)}  `}${stale ? colours.yellow(age) : age}`,
  );
  if (failure !== null) print(`    ${colours.red(failure)}`);
}

export async function refresh(names: readonly string[], options: CommonOptions): Promise<void> {
  await withSources(options, async (open, settings) => {
    const chosen = chooseSources(names, open);
    if (chosen.length === 0) say('There are no fetched sources. Local folders are always up to date.');
    const before = chosen.map((source) => source.status().resolved);
    await refreshAll(chosen);
    await lockSources(open.fetched, settings, say);
    const rows = await Promise.all(
      chosen.map(async (source, at) => {
        const { name, resolved, verifiedAt, failure } = source.status();
        const changed = resolved !== before[at];
        return { name, changed, resolved, verifiedAt, failure, skills: await countSkills(source) };
      }),
    );
    if (rows.some(({ failure }) => failure !== null)) process.exitCode = EXIT.failed;
    if (options.json === true) {
      printReport({ sources: rows });
      return;
    }
    for (const { name, changed, resolved, failure, skills } of rows) {
      const what =
        failure === null ? (changed ? colours.green('changed') : 'unchanged') : colours.red('failed');
      print(
        `${colours.bold(name)}  ${what}  ${resolved?.slice(0, SHORT) ?? '-'}  ${counted(skills, 'skill')}`,
      );
      if (failure !== null) print(`    ${failure}`);
    }
  });
}

function chooseSources(names: readonly string[], { all, fetched }: OpenSources): readonly FetchedSource[] {
  if (names.length === 0) return fetched;
  return names.flatMap((name) => {
    const source = all.find((candidate) => candidate.name === name);
    if (source === undefined)
      throw unknownSource(
        name,
        all.map((known) => known.name),
      );
    return isFetched(source) ? source : [];
  });
}

export function unknownSource(name: string, known: readonly string[]): CliError {
  const there = known.length === 0 ? 'There are none.' : `There are ${known.join(', ')}.`;
  return new CliError(
    'NOT_FOUND',
    `There is no source ${JSON.stringify(name)}.${suggestion(name, known)} ${there}`,
  );
}

export async function countSkills(source: Source): Promise<number> {
  const { folders } = await source.scan();
  return folders.length;
}

async function withSources(
  options: CommonOptions,
  use: (open: OpenSources, settings: Settings) => Promise<void>,
): Promise<void> {
  const settings = await trustedSettings(options);
  const open = await openSources(settings, processEnvironment());
  try {
    await use(open, settings);
  } finally {
    await open.close();
  }
}
