/** Errors of asking other machines, one class: callers tell them apart by `code`. */

/**
 * - `NET_REFUSED`: the address may not be asked: private, not HTTPS, or at the end of too many redirects.
 * - `NET_UNREACHABLE`: nobody answers there, or the answer broke off.
 * - `NET_STATUS`: the answer is an error of the server.
 * - `NET_TOO_LARGE`: the answer is longer than was allowed.
 * - `NET_SLOW`: the answer comes too slowly to be waited for.
 */
export type NetErrorCode = 'NET_REFUSED' | 'NET_UNREACHABLE' | 'NET_STATUS' | 'NET_TOO_LARGE' | 'NET_SLOW';

/** Another machine could not be asked. The message says what failed, what was found and what to do. */
export class NetError extends Error {
  override readonly name = 'NetError';
  readonly code: NetErrorCode;

  constructor(code: NetErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** The innermost `NetError`; else a sentence about what the machine in between said. */
export function netErrorOf(error: unknown, url: URL): NetError {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof NetError) return at;
    if (at.cause === undefined) {
      const message = `${shownUrl(url)} cannot be reached: ${reasonOf(at)}. Check the address, or try later.`;
      return new NetError('NET_UNREACHABLE', message, { cause: error });
    }
  }
  return new NetError('NET_UNREACHABLE', `${shownUrl(url)} cannot be reached.`, { cause: error });
}

/** Without user, password and query: these hold credentials. */
export const shownUrl = ({ origin, pathname }: URL) => `${origin}${pathname}`;

function reasonOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (error.message || code || 'no answer').replace(/\.$/, '');
}
