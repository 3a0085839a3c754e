/** What kind of source a place is, told from how it is written and from what is there on disk. */

import { existsSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { CliError, EXIT } from '../exit-codes.ts';
import type { SourceEntry } from './edit.ts';
import { fromHome, type Home } from './files.ts';

export const KINDS = ['local', 'git', 'archive', 'well-known', 'mcp'] as const;
export type Kind = (typeof KINDS)[number];

const ARCHIVE = /\.(zip|tar|tar\.gz|tgz)$/i;
/** Hosts whose pages of a repository are its URL too. */
const FORGES = /^https:\/\/(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)\/[^/]+\/[^/]+/i;
/** `https://github.com/owner/repository/tree/ref/folder`, as copied from a browser. */
const TREE =
  /^(https:\/\/(?:www\.)?(?:github\.com|gitlab\.com)\/[^/]+\/[^/]+)(?:\/-)?\/tree\/([^/]+)(?:\/(.+?))?\/?$/i;

/**
 * The entry for a place: a URL, or a path as the caller sees it, which is written relative to `folder` where it lies
 * below. `kind` overrules what would be told. Throws `CliError` with `usage` where nothing fits.
 */
export function entryFor(place: string, kind: Kind | undefined, folder: string, around: Home): SourceEntry {
  const wanted = kind ?? kindOf(place, around);
  const path = () => written(resolve(around.cwd, fromHome(place, around.home)), folder);
  switch (wanted) {
    case 'local':
      return { kind: wanted, root: path() };
    case 'archive':
      return { kind: wanted, path: path() };
    case 'well-known':
      return { kind: wanted, url: place };
    case 'mcp':
      return { kind: wanted, url: place };
    case 'git': {
      const [, url, ref, below] = TREE.exec(place) ?? [];
      if (url !== undefined)
        return { kind: wanted, url, ...(ref ? { ref } : {}), ...(below ? { folder: below } : {}) };
      return { kind: wanted, url: isUrl(place) ? place : path() };
    }
  }
}

function kindOf(place: string, { cwd, home }: Home): Kind {
  if (/^(git|ssh|git\+ssh|file):\/\//i.test(place) || /^[\w.-]+@[\w.-]+:/.test(place)) return 'git';
  if (/^https?:\/\//i.test(place))
    return /\.git\/?$/i.test(place) || FORGES.test(place) ? 'git' : 'well-known';
  const path = resolve(cwd, fromHome(place, home));
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile() && ARCHIVE.test(path)) return 'archive';
  if (there?.isDirectory()) return isBareRepository(path) ? 'git' : 'local';
  if (there?.isFile())
    throw new CliError(
      EXIT.usage,
      `${place} is a file, but no .zip, .tar, .tar.gz or .tgz. Name its folder instead.`,
    );
  throw new CliError(
    EXIT.usage,
    `${place} is neither a folder or archive that exists, nor a URL. A git URL, an https site, a folder or an archive can be added, and an MCP server with --mcp-url or --mcp-command.`,
  );
}

const isUrl = (place: string) => /^[a-z][a-z+]*:\/\//i.test(place) || /^[\w.-]+@[\w.-]+:/.test(place);

const isBareRepository = (path: string) =>
  ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(path, name))) && basename(path) !== '.git';

/** Relative where it lies below the configuration's folder: a project is moved with its skills. */
function written(path: string, folder: string): string {
  const below = relative(folder, path).replaceAll('\\', '/');
  if (below === '') return '.';
  return below.startsWith('..') || resolve(below) === below ? path : `./${below}`;
}
