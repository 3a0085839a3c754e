/** `skillgate sources add|remove`: changes to the configuration file, which is made where there is none. */

import { existsSync, rmSync, unlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { defaultRoots } from '../../catalog/names.ts';
import { isFetched } from '../../catalog/sources/fetched.ts';
import { counted } from '../../mcp/text.ts';
import { type SourceEntry, withoutSource, withSources } from '../config/edit.ts';
import { referencesOf } from '../config/expand.ts';
import { CONFIG_FILES, findConfigFile, isSmallForm, textOf } from '../config/files.ts';
import { entryFor, type Kind } from '../config/place.ts';
import { readConfig } from '../config/read.ts';
import { nameSources } from '../config/source-names.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { writeLock, writeWhole } from '../lockfile.ts';
import { print, printJson, say } from '../output.ts';
import {
  type CommonOptions,
  cacheFolderOf,
  configuredBy,
  lockFileOf,
  placeFor,
  type Surroundings,
  settingsOf,
  surroundings,
} from '../settings.ts';
import { lockSources, type OpenSources, openSources } from '../sources.ts';
import { placeText, skillsOf, unknownSource } from './sources.ts';

export interface AddOptions extends CommonOptions {
  readonly kind?: Kind;
  readonly name?: string;
  readonly ref?: string;
  readonly folder?: string;
  readonly tokenEnv?: string;
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly priority?: number;
  readonly refresh?: string;
  readonly allowPrivate?: boolean;
  readonly mcpCommand?: string;
  readonly mcpUrl?: string;
  /** False for --no-fetch. */
  readonly fetch: boolean;
}

export async function add(places: readonly string[], options: AddOptions): Promise<void> {
  const around = surroundings();
  if (options.frozen === true) throw new CliError(EXIT.usage, '--frozen adds no source: leave it out.');
  const found = findConfigFile(options.config || around.env.SKILLGATE_CONFIG || undefined, around);
  if (found !== null && isSmallForm(found)) throw await smallForm(found, around);
  const file = found ?? join(around.cwd, CONFIG_FILES[0]);
  const before = found === null ? '' : textOf(found);
  const entry = entryOf(places, options, dirname(file), around);
  const configured = readConfig(before === '' && file.endsWith('.json') ? '{}' : before, file).config.sources;
  // Folders that were found by themselves would be gone with the first source that is named: they are named, too.
  const others = configured.length === 0 ? defaultEntries(dirname(file), around) : [];
  writeWhole(file, withSources(before, file.endsWith('.json'), [...others, entry]));
  try {
    const outcome = await opened(file, options, around);
    if (options.json === true) printJson({ file, ...outcome });
    else {
      const { name, kind, skills, resolved } = outcome;
      const at = resolved === null ? '' : ` at ${resolved}`;
      print(
        `Added ${name} (${kind})${at} to ${file}${skills === null ? '' : `: ${counted(skills, 'skill')}`}.`,
      );
      for (const { root } of others) say(`${root} was found by itself before and is now listed there, too.`);
    }
  } catch (error) {
    if (found === null) unlinkSync(file);
    else writeWhole(file, before);
    throw error;
  }
}

/** Opens the last source of the file, and fetches it where that is wanted. Throws where it holds nothing usable. */
async function opened(file: string, options: AddOptions, around: Surroundings) {
  const config = readConfig(textOf(file), file);
  const name = nameSources(config.config.sources, config.placeOf, around).at(-1)?.name;
  // What stands in the file counts, not what flags or environment would have instead.
  const { SKILLGATE_SKILLS: _, SKILLGATE_FROZEN: __, ...env } = around.env;
  const { index } = options;
  const settings = await settingsOf(
    { config: file, ...(index === undefined ? {} : { index }) },
    { ...around, env },
  );
  const own = settings.sources.filter((source) => source.name === name);
  const open = await openSources({ ...settings, sources: own }, around);
  try {
    return await fetched(open, settings, options.fetch);
  } finally {
    await open.close();
  }
}

async function fetched(open: OpenSources, settings: Parameters<typeof lockSources>[1], fetch: boolean) {
  const [source] = open.all;
  if (source === undefined) throw new CliError(EXIT.failed, 'The source could not be opened.');
  if (!isFetched(source))
    return { name: source.name, kind: 'local', resolved: null, skills: await skillsOf(source) };
  const { name, kind } = source.status();
  if (!fetch) return { name, kind, resolved: null, skills: null };
  await source.refresh();
  const { failure, resolved } = source.status();
  if (failure !== null)
    throw new CliError(
      EXIT.failed,
      `${name} could not be fetched, and nothing was written. ${failure} With --no-fetch it is added as it is.`,
    );
  await lockSources(open.fetched, settings, say);
  return { name, kind, resolved, skills: await skillsOf(source) };
}

function entryOf(
  places: readonly string[],
  options: AddOptions,
  folder: string,
  around: Surroundings,
): SourceEntry {
  const { name, ref, folder: below, tokenEnv, priority, refresh, allowPrivate, header, env } = options;
  const [place] = places;
  if (options.mcpCommand === undefined && (places.length !== 1) === (options.mcpUrl === undefined))
    throw new CliError(
      EXIT.usage,
      'sources add takes one place: a URL or a path, or --mcp-url URL, or --mcp-command PROGRAM -- ARGS….',
    );
  const { kind, ...rest } =
    options.mcpCommand !== undefined
      ? { kind: 'mcp', command: options.mcpCommand, ...(places.length === 0 ? {} : { args: places }) }
      : options.mcpUrl !== undefined
        ? { kind: 'mcp', url: options.mcpUrl }
        : entryFor(place ?? '', options.kind, folder, around);
  return {
    kind,
    ...(name === undefined ? {} : { name }),
    ...rest,
    ...(ref === undefined ? {} : { ref }),
    ...(below === undefined ? {} : { folder: below }),
    ...(tokenEnv === undefined ? {} : { tokenEnv }),
    ...(header === undefined ? {} : { headers: pairs('--header', header, ':') }),
    ...(env === undefined ? {} : { env: pairs('--env', env, '=') }),
    ...(priority === undefined ? {} : { priority }),
    ...(refresh === undefined ? {} : { refresh }),
    ...(allowPrivate === undefined ? {} : { allowPrivate }),
  };
}

/** Names of headers and variables whose values are secrets. */
const SECRET = /(auth|token|key|secret|cookie|passw|credential)/i;

function pairs(flag: string, given: readonly string[], separator: string): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(separator);
      if (at < 1) throw new CliError(EXIT.usage, `${flag} takes NAME${separator}VALUE.`);
      const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      if (SECRET.test(name) && referencesOf(value).length === 0)
        throw new CliError(
          EXIT.usage,
          `${flag} ${name} looks like a secret, and the file is to hold none: give the name of a variable in braces, in single quotes: '${name}${separator} \${MY_TOKEN}'.`,
        );
      return [name, value];
    }),
  );
}

function defaultEntries(
  folder: string,
  { home, cwd }: Surroundings,
): { kind: 'local'; name: string; root: string }[] {
  const existing = defaultRoots({ home, cwd }).filter(({ root }) => existsSync(root));
  return existing.map(({ name, root }) => {
    const below = relative(folder, root).replaceAll('\\', '/');
    const fromHome = relative(home, root).replaceAll('\\', '/');
    if (!below.startsWith('..')) return { kind: 'local', name, root: `./${below}` };
    return { kind: 'local', name, root: fromHome.startsWith('..') ? root : `~/${fromHome}` };
  });
}

async function smallForm(file: string, around: Surroundings): Promise<CliError> {
  const { roots } = await settingsOf({ config: file }, { ...around, env: {} });
  const sources = roots.map(({ name, root }) => ({ kind: 'local', name, root }));
  return new CliError(
    EXIT.usage,
    `${file} lists folders only. Replace it by ${CONFIG_FILES[0]} with: ${JSON.stringify({ sources })}`,
  );
}

export async function remove(name: string, options: CommonOptions): Promise<void> {
  const around = surroundings();
  if (options.frozen === true) throw new CliError(EXIT.usage, '--frozen removes no source: leave it out.');
  const file = findConfigFile(options.config || around.env.SKILLGATE_CONFIG || undefined, around);
  if (file === null || isSmallForm(file))
    throw new CliError(
      EXIT.usage,
      'There is no skillgate.config.json or .yaml here to remove a source from.',
    );
  const text = textOf(file);
  const { named } = await configuredBy({ config: file }, { ...around, env: {} });
  const at = named.findIndex((source) => source.name === name);
  const source = named[at]?.source;
  const names = named.map((known) => known.name);
  if (source === undefined) throw unknownSource(name, names);
  const after = withoutSource(text, file.endsWith('.json'), at);
  const left = readConfig(after, file).config.sources;
  writeWhole(file, after);
  const others = names.filter((other) => other !== name);
  if (writeLock(lockFileOf(file), [], others)) say(`Wrote ${lockFileOf(file)}.`);
  rmSync(placeFor(cacheFolderOf(around), file, name, source), { recursive: true, force: true });
  if (options.json === true) printJson({ file, removed: name });
  else print(`Removed ${name} (${source.kind} ${placeText(source)}) from ${file}.`);
  if (left.length === 0) say('No source is left: the folders that agents use are searched again.');
}
