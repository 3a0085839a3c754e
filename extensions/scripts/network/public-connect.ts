/** TCP connections to names, made to their public addresses only. */

import { lookup as systemLookup } from 'node:dns';
import { connect, type LookupFunction, Socket } from 'node:net';
import { NetError } from '../../net/errors.ts';
import { addressLiteral, isPublicAddress, publicLookup } from '../../net/guarded-fetch.ts';

/** Errors come as the socket's `error`: a `NetError` with `NET_REFUSED` if the address is not allowed. */
export type Connect = (host: string, port: number) => Socket;

/** Longest time to connect, ms. */
const CONNECT_MS = 10_000;

export const connectPublic: Connect = publicConnect(systemLookup);

/** `lookup` is the DNS lookup, `longestMs` the longest time to connect. */
export function publicConnect(lookup: LookupFunction, longestMs = CONNECT_MS): Connect {
  return (host, port) => {
    // A literal address needs no lookup, so `publicLookup` would not see it.
    const literal = addressLiteral(host);
    if (literal !== null && !isPublicAddress(literal))
      return new Socket().destroy(
        new NetError('NET_REFUSED', `${host} is a private address and was not contacted.`),
      );
    const socket = connect({ host, port, lookup: publicLookup(lookup) });
    const late = () => socket.destroy(new NetError('NET_UNREACHABLE', `${host} does not answer.`));
    socket.setTimeout(longestMs, late);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('timeout', late);
    });
    return socket;
  };
}
