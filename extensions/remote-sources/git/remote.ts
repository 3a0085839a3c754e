/**
 * A repository's URL and ref from the configuration. Refuses whatever could make the git program do more than fetch.
 */

import { isAbsolute } from 'node:path';
import { FetchError } from '../fetched/fetch-error.ts';

export interface Remote {
  /** The URL for git, without credentials. */
  readonly url: string;
  /** The transports that git may use, even after redirects or URL rewriting. */
  readonly protocols: string;
  /** Value of the Authorization header for HTTPS; null leaves it to git's credential helper. */
  readonly authorization: string | null;
  /** Texts that no message may contain. */
  readonly secrets: readonly string[];
}

/** `user@host:path`, the short form of SSH. */
const SCP_LIKE = /^(?:[a-z0-9_][a-z0-9._-]*@)?[a-z0-9][a-z0-9.-]*:(?!\/\/)[^\s]+$/i;

/** `token` is a token, or `user:password`. Throws a `FetchError`. */
export function parseRemote(given: string, token: string | undefined): Remote {
  if (given.startsWith('-') || /[\0-\x1f\x7f]/.test(given)) throw refused('has characters that no URL has');
  if (isAbsolute(given)) return { url: given, protocols: 'file', authorization: null, secrets: [] };
  const scheme = /^([a-z][a-z0-9+.-]*):(\/\/|:)/i.exec(given);
  if (scheme === null && SCP_LIKE.test(given)) {
    return { url: given, protocols: 'ssh', authorization: null, secrets: [] };
  }
  if (scheme?.[2] === ':' || !URL.canParse(given)) throw refused('is not the URL of a repository');
  const url = new URL(given);
  if (url.protocol === 'file:') {
    return { url: given, protocols: 'file', authorization: null, secrets: [] };
  }
  if (url.protocol === 'ssh:') return sshRemote(url);
  if (url.protocol !== 'https:') throw refused(`begins with ${url.protocol}`);
  return httpsRemote(url, token);
}

/** A refused URL for messages: without credentials and query. */
export function shownRemote(given: string): string {
  if (!URL.canParse(given)) return isAbsolute(given) || SCP_LIKE.test(given) ? given : 'a repository';
  const { protocol, host, pathname } = new URL(given);
  return ['https:', 'ssh:', 'file:'].includes(protocol) ? `${protocol}//${host}${pathname}` : protocol;
}

function sshRemote(url: URL): Remote {
  if (!/^[a-z0-9[][a-z0-9.:-]*\]?$/i.test(url.hostname)) throw refused('has no valid host');
  const secrets = url.password === '' ? [] : [url.password, decodeURIComponent(url.password)];
  // SSH ignores a password in the URL.
  url.password = '';
  return { url: url.href, protocols: 'ssh', authorization: null, secrets };
}

function httpsRemote(url: URL, token: string | undefined): Remote {
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const inUrl = user === '' && password === '' ? undefined : `${user}:${password}`;
  const given = token ?? inUrl;
  const secrets = [password, url.password, password === '' ? user : ''];
  url.username = '';
  url.password = '';
  // The user's git settings may rewrite the URL to SSH.
  const remote = { url: url.href, protocols: 'https:ssh' };
  if (given === undefined || given === '') return { ...remote, authorization: null, secrets };
  // Git hosts accept a token as a password; GitHub and GitLab with any user name.
  const pair = given.includes(':') ? given : `x-access-token:${given}`;
  const encoded = Buffer.from(pair).toString('base64');
  return {
    ...remote,
    authorization: `Basic ${encoded}`,
    secrets: [...secrets, given, pair, encoded, pair.slice(pair.indexOf(':') + 1)],
  };
}

/** A full commit id, or the ref names to ask the remote for, most specific first. Throws a `FetchError`. */
export function askedRefs(ref: string | undefined): { commit: string } | { names: readonly string[] } {
  if (ref === undefined || ref === 'HEAD') return { names: ['HEAD'] };
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)) return { commit: ref };
  const isValid =
    /^(?![-/.])[^\s~^:?*[\\\0-\x1f\x7f]+$/.test(ref) && !/\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[/.]$/.test(ref);
  if (!isValid) {
    const message = `The ref ${JSON.stringify(ref)} is not the name of a branch, tag or commit: give one.`;
    throw new FetchError(message);
  }
  if (ref.startsWith('refs/')) return { names: [`${ref}^{}`, ref] };
  return { names: [`refs/heads/${ref}`, `refs/tags/${ref}^{}`, `refs/tags/${ref}`] };
}

function refused(reason: string): FetchError {
  const message = `The repository’s URL ${reason}: give an https:// or ssh:// URL, user@host:path, or an absolute path.`;
  return new FetchError(message);
}
