/** Errors of requests to other machines. */

import { CodedError, systemCode } from '../../src/base/errors.ts';

/**
 * - `NET_REFUSED`: the address is not allowed: private, not HTTPS, or behind too many redirects.
 * - `NET_UNREACHABLE`: nothing answers, or the answer broke off.
 * - `NET_STATUS`: the server answered with an error status (`data.status`).
 * - `NET_TOO_LARGE`: the answer is longer than allowed.
 * - `NET_SLOW`: the answer comes too slowly.
 */
export type NetErrorCode = 'NET_REFUSED' | 'NET_UNREACHABLE' | 'NET_STATUS' | 'NET_TOO_LARGE' | 'NET_SLOW';

export class NetError extends CodedError<NetErrorCode> {
  override readonly name = 'NetError';
}

/** The innermost `NetError` of the cause chain, else a `NET_UNREACHABLE` with the innermost reason. */
export function toNetError(error: unknown, url: URL): NetError {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof NetError) return at;
    if (at.cause === undefined) {
      const message = `${shownUrl(url)} cannot be reached: ${innermostReason(at)}. Check the address, or try later.`;
      return new NetError('NET_UNREACHABLE', message, { cause: error });
    }
  }
  return new NetError('NET_UNREACHABLE', `${shownUrl(url)} cannot be reached.`, { cause: error });
}

/** Without user, password and query: these hold credentials. */
export const shownUrl = ({ protocol, host, pathname }: URL) => `${protocol}//${host}${pathname}`;

const innermostReason = (error: Error) =>
  (error.message || systemCode(error) || 'no answer').replace(/\.$/, '');
