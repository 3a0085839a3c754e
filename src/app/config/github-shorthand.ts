/** `owner/repository[#ref][/path]`: a short form for a repository on GitHub. */

export interface GitLocation {
  readonly url: string;
  readonly ref?: string;
  readonly folder?: string;
}

/** Names as GitHub allows them: an owner has no dot, so that `a.b/c` stays a path. */
const SHORTHAND =
  /^([a-z\d](?:[a-z\d-]{0,38}))\/([\w.-]{1,100}?)(?:\.git)?(?:#([^/\s]+))?(?:\/([^#\s]+?))?\/?$/i;

/** Null for anything else: a path that begins with a dot, a URL, a repository by SSH. */
export function githubShorthand(text: string): GitLocation | null {
  const [, owner, name, ref, folder] = SHORTHAND.exec(text) ?? [];
  if (owner === undefined || name === undefined || /^\.+$/.test(name)) return null;
  if (folder?.split('/').some((part) => part === '..' || part === '.' || part === '')) return null;
  return {
    url: `https://github.com/${owner}/${name}`,
    ref,
    folder,
  };
}
