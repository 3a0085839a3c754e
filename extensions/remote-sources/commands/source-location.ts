/** Recognises the kind of a source from its location: a URL, or a path and what exists there. */

import { existsSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { AppError } from '../../../src/app/app-error.ts';
import { fromHome } from '../../../src/app/config/files.ts';
import type { Directories } from '../../../src/app/config/find.ts';
import { gitAddress, githubShorthand } from '../../../src/app/config/git-address.ts';
import type { SourceConfig } from '../../../src/app/config/schema.ts';
import type { SourceEntry } from './edit-config.ts';

export type Kind = SourceConfig['kind'];

const ARCHIVE = /\.(zip|tar|tar\.gz|tgz)$/i;
/** Hosts where the page of a repository is also its clone URL. */
const FORGES = /^https:\/\/(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)\/[^/]+\/[^/]+/i;
/**
 * The configuration entry for a location: a URL, or a path relative to `cwd`. A path below `folder` is written relative
 * to it. `kind` overrides the recognised kind. Throws `LOCATION_INVALID` where no kind fits.
 */
export function entryFor(
  location: string,
  kind: Kind | undefined,
  folder: string,
  base: Directories,
): SourceEntry {
  const wanted = kind ?? guessKind(location, base);
  const path = () => written(resolve(base.cwd, fromHome(location, base.home)), folder);
  switch (wanted) {
    case 'local':
      return { kind: wanted, root: path() };
    case 'archive':
      return { kind: wanted, path: path() };
    case 'well-known':
      return { kind: wanted, url: location };
    case 'mcp':
      return { kind: wanted, url: location };
    case 'git': {
      const address = isThere(location, base) ? null : gitAddress(location);
      if (address !== null) {
        const { url, ref, folder: below } = address;
        return { kind: wanted, url, ...(ref && { ref }), ...(below && { folder: below }) };
      }
      return { kind: wanted, url: isUrl(location) ? location : path() };
    }
  }
}

function guessKind(location: string, { cwd, home }: Directories): Kind {
  if (/^(git|ssh|git\+ssh|file):\/\//i.test(location) || /^[\w.-]+@[\w.-]+:/.test(location)) return 'git';
  if (/^https?:\/\//i.test(location))
    return /\.git\/?$/i.test(location) || FORGES.test(location) || gitAddress(location) !== null
      ? 'git'
      : 'well-known';
  const path = resolve(cwd, fromHome(location, home));
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile() && ARCHIVE.test(path)) return 'archive';
  if (there?.isDirectory()) return isBareRepository(path) ? 'git' : 'local';
  if (there?.isFile())
    throw new AppError(
      'LOCATION_INVALID',
      `${location} is a file, but not a .zip, .tar, .tar.gz or .tgz. Name its folder instead.`,
    );
  if (there === undefined && githubShorthand(location) !== null) return 'git';
  throw new AppError(
    'LOCATION_INVALID',
    `${location} is neither an existing folder or archive nor a URL. You can add a git URL, owner/repository of GitHub, an https site, a folder or an archive, and an MCP server with --mcp-url or --mcp-command.`,
  );
}

const isThere = (location: string, { cwd, home }: Directories) =>
  existsSync(resolve(cwd, fromHome(location, home)));

const isUrl = (location: string) =>
  /^[a-z][a-z+]*:\/\//i.test(location) || /^[\w.-]+@[\w.-]+:/.test(location);

const isBareRepository = (path: string) =>
  ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(path, name))) && basename(path) !== '.git';

/** Relative where it is below the folder of the configuration: a project moves together with its skills. */
function written(path: string, folder: string): string {
  const below = relative(folder, path).replaceAll('\\', '/');
  if (below === '') return '.';
  return below.startsWith('..') || resolve(below) === below ? path : `./${below}`;
}
