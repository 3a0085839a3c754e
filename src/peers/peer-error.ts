/** The error of this room by itself: whoever only catches it need not load what talks to servers. */

/**
 * - `PEER_UNREACHABLE`: there is no connection: the program does not start, the address does not answer.
 * - `PEER_FORGOT`: it no longer knows the session; nothing was done for it.
 * - `PEER_GONE`: the connection ended before the answer came. Whether the request was carried out is not known.
 * - `PEER_SLOW`: no answer in time; as with `PEER_GONE`, nothing is known of what was done.
 * - `PEER_FLOOD`: it sent more than is taken: too long a message, pages without end, noise.
 * - `PEER_ANSWER`: the answer is not what the protocol says.
 * - `PEER_REFUSED`: it answered with a JSON-RPC error; `data` holds its code, message and data.
 */
export type PeerErrorCode =
  | 'PEER_UNREACHABLE'
  | 'PEER_FORGOT'
  | 'PEER_GONE'
  | 'PEER_SLOW'
  | 'PEER_FLOOD'
  | 'PEER_ANSWER'
  | 'PEER_REFUSED';

export class PeerError extends Error {
  override readonly name = 'PeerError';
  readonly code: PeerErrorCode;
  readonly data: { readonly code?: number; readonly message?: string; readonly data?: unknown };

  constructor(code: PeerErrorCode, message: string, data: PeerError['data'] = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The JSON-RPC code of a method that is not there. */
export const METHOD_NOT_FOUND = -32_601;
