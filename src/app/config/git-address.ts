/**
 * Addresses of repositories and of folders in them, as people copy them: from a browser, with `#ref`, or `owner/repository` for
 * GitHub. Which part of `tree/feature/new-ui/skills` is the branch, only the remote knows.
 */

import { decoded } from '../../base/text.ts';

export interface GitAddress {
  readonly url: string;
  /** Where a branch has no slash: the first segment of `refPath`. */
  readonly ref?: string;
  readonly folder?: string;
  /** Ref and folder as one path, where the address has both. */
  readonly refPath?: string;
}

/** Names as GitHub allows them: an owner has no dot, so that `a.b/c` stays a path. */
const SHORTHAND = /^([a-z\d](?:[a-z\d-]{0,38}))\/([\w.-]{1,100}?)(?:\.git)?(?:#([^#\s]+)|\/([^#\s]+?))?\/?$/i;

/**
 * Pages of a folder or file by forge: GitHub, GitLab (on any host, by its `/-/`), Bitbucket, Gitea and Forgejo (on any host, by
 * `/src/branch/`), sourcehut, and GitHub's raw files. The first group is the repository, the second what follows the kind of page.
 */
const PAGES: readonly RegExp[] = [
  /^(https:\/\/(?:www\.)?github\.com\/[^/]+\/[^/]+)\/(?:tree|blob|raw|edit|blame)\/(.+)$/i,
  /^(https:\/\/[^/]+\/.+?)\/-\/(?:tree|blob|raw|edit|blame)\/(.+)$/i,
  /^(https:\/\/(?:www\.)?gitlab\.com\/[^/]+\/[^/]+)\/(?:tree|blob|raw)\/(.+)$/i,
  /^(https:\/\/(?:www\.)?bitbucket\.org\/[^/]+\/[^/]+)\/(?:src|raw)\/(.+)$/i,
  /^(https:\/\/[^/]+\/[^/]+\/[^/]+)\/(?:src|raw)\/(?:branch|tag|commit)\/(.+)$/i,
  /^(https:\/\/git\.sr\.ht\/~[^/]+\/[^/]+)\/(?:tree|blob)\/(.+)$/i,
];
const RAW = /^https:\/\/raw\.githubusercontent\.com\/([^/]+)\/([^/]+)\/(?:refs\/(?:heads|tags)\/)?(.+)$/i;
const WITH_REF = /^((?:https?|ssh|file|git|git\+ssh):\/\/[^#\s]+|[\w.-]+@[\w.-]+:[^#\s]+)#([^#\s]+)$/i;
/** A skill's page is that of its file. */
const SKILL_FILE = /(?:^|\/)SKILL\.md$/i;

/** Null for a plain URL or path. */
export function gitAddress(text: string): GitAddress | null {
  const [, owner, repository, rest = ''] = RAW.exec(text) ?? [];
  if (owner !== undefined) return atPage(`https://github.com/${owner}/${repository}`, rest);
  const page = text.replace(/[?#].*$/s, '');
  for (const pattern of PAGES) {
    const [, url, path = ''] = pattern.exec(page) ?? [];
    if (url !== undefined) return atPage(url, path.replace(/\/item(?=\/|$)/, ''));
  }
  const [, remote, ref] = WITH_REF.exec(text) ?? [];
  return remote === undefined ? githubShorthand(text) : { url: remote, ref };
}

function atPage(url: string, encoded: string): GitAddress | null {
  const path = decoded(encoded).replace(/\/+$/, '').replace(SKILL_FILE, '');
  return path === '' || !isPlain(path) ? null : { url, ...split(path) };
}

/** `owner/repository`, `owner/repository/folder`, `owner/repository#ref/folder`. */
export function githubShorthand(text: string): GitAddress | null {
  const [, owner, name, refPath, folder] = SHORTHAND.exec(text) ?? [];
  if (owner === undefined || name === undefined || /^\.+$/.test(name)) return null;
  const url = `https://github.com/${owner}/${name}`;
  const path = refPath ?? folder;
  if (path !== undefined && !isPlain(path)) return null;
  return refPath === undefined ? { url, ...(folder && { folder }) } : { url, ...split(refPath) };
}

function split(path: string): Omit<GitAddress, 'url'> {
  const [ref = '', ...below] = path.split('/');
  return below.length === 0 ? { ref } : { ref, folder: below.join('/'), refPath: path };
}

const isPlain = (path: string) =>
  !path.split('/').some((part) => part === '' || part === '.' || part === '..');
