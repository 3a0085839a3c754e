/** Names of the configured sources: from the file, else derived from the location. */

import { basename } from 'node:path';
import { type BaseDirectories, nameRoots, slug } from '../../sources/scan/roots.ts';
import { ConfigError, type ConfigProblem, type Place } from '../app-error.ts';
import type { SourceConfig } from './schema.ts';
import type { ConfigPath } from './text.ts';

/** A source of a file. */
export interface ConfiguredSource {
  /** Paths are absolute. */
  readonly source: SourceConfig;
  readonly file: string;
  /** Where a setting of the source is, for problems that are found later. */
  readonly placeOf: (path: ConfigPath) => Place;
}

export interface NamedSource extends ConfiguredSource {
  readonly name: string;
}

/** Programs that start other programs: the started program gives the name. */
const LAUNCHERS = /^(npx|uvx|pipx|bunx|pnpm|yarn|node|python3?|docker)$/;
/** Characters, as in the schema. */
const MAX_LENGTH = 64;

/**
 * Keeps the order. A source of a project that is called like one of the user's gets another name, with a note: rules of the user's
 * policy mean their own. Throws `ConfigError` where else two sources share a name: a number would depend on the order.
 */
export function nameSources(
  sources: readonly ConfiguredSource[],
  places: BaseDirectories,
  { projectFile, note }: { readonly projectFile?: string | undefined; note(message: string): void },
): NamedSource[] {
  const names = sources.map(({ source }) => source.name ?? derivedName(source, places));
  const ofUser = new Set(names.filter((_, at) => sources[at]?.file !== projectFile));
  const first = new Map<string, number>();
  const problems: ConfigProblem[] = [];
  const named = sources.map((source, at) => {
    const wanted = names[at] ?? '';
    const isTaken = source.file === projectFile && ofUser.has(wanted);
    const name = isTaken ? freeName(wanted, [...names, ...first.keys()]) : wanted;
    if (isTaken)
      note(`The project's source ${wanted} is called ${name} here, because one of yours has that name.`);
    const before = first.get(name);
    if (before === undefined) first.set(name, at);
    else {
      const message = `Two sources are called ${name}: sources[${before}] and sources[${at}]. Give one of them another name ("name").`;
      problems.push({ ...source.placeOf(['name']), message });
    }
    return { ...source, name };
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return named;
}

function freeName(name: string, taken: readonly string[]): string {
  const start = `${name.slice(0, MAX_LENGTH - 12)}-project`;
  for (let count = 1; ; count += 1) {
    const next = count === 1 ? start : `${start}-${count}`;
    if (!taken.includes(next)) return next;
  }
}

/** `[a-z0-9-]`, at most 64 characters. */
export function derivedName(source: SourceConfig, places: BaseDirectories): string {
  return locationName(source, places).slice(0, MAX_LENGTH).replace(/-+$/, '') || source.kind;
}

function locationName(source: SourceConfig, places: BaseDirectories): string {
  switch (source.kind) {
    case 'local':
      return nameRoots([source.root], places)[0]?.name ?? '';
    case 'archive':
      return slug(basename(source.path).replace(/\.(zip|tar|tgz|tar\.gz)$/i, ''));
    case 'well-known':
      return slug(urlHost(source.url));
    case 'git':
      return repositoryName(source.url);
    case 'mcp':
      return source.url === undefined
        ? commandName(source.command ?? '', source.args)
        : slug(urlHost(source.url));
  }
}

/** The repository name; `skills` alone says little, so the owner precedes it. */
function repositoryName(url: string): string {
  const parts = url
    .replace(/^[a-z][a-z+]*:\/\/(?:[^/]*@)?/i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/(\/?\.git)$/i, '')
    .split(/[/:\\]/)
    .filter((part) => part !== '' && !part.includes('@'));
  const own = slug(parts.at(-1) ?? '');
  const owner = slug(parts.at(-2) ?? '');
  return /^(agent-)?skills?$/.test(own) && owner !== '' ? `${owner}-${own}` : own;
}

function commandName(command: string, args: readonly string[]): string {
  const own = slug(basename(command).replace(/\.(exe|cmd|m?js|py)$/i, ''));
  const started = args.find(
    (arg) => !arg.startsWith('-') && arg !== 'run' && arg !== 'exec' && arg !== 'dlx',
  );
  if (!LAUNCHERS.test(own) || started === undefined) return own;
  const name = basename(started.replace(/(?<=.)@[^@/]*$/, '')).replace(/\.(m?js|py)$/i, '');
  return slug(name) || own;
}

/** Host and port of a URL that passed the schema. */
const urlHost = (url: string) => new URL(url).host;
