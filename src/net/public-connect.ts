/** A connection to a name, made to its public addresses alone. */

import { lookup as systemLookup } from 'node:dns';
import { connect, type LookupFunction, Socket } from 'node:net';
import { isPublicAddress, literalOf } from './addresses.ts';
import { NetError } from './errors.ts';
import { publicLookup } from './guarded-fetch.ts';

/** Errors come as the socket's `error`; `NetError` with `NET_REFUSED` where the address may not be asked. */
export type Connect = (host: string, port: number) => Socket;

/** To connect, ms. */
const CONNECT_MS = 10_000;

export const connectPublic: Connect = publicConnect(systemLookup);

/** `lookup` asks the name server. */
export function publicConnect(lookup: LookupFunction): Connect {
  return (host, port) => {
    // An address is connected to without a lookup.
    const literal = literalOf(host);
    if (literal !== null && !isPublicAddress(literal))
      return new Socket().destroy(
        new NetError('NET_REFUSED', `${host} is a private address and is not asked.`),
      );
    const socket = connect({ host, port, lookup: publicLookup(lookup) });
    const late = () => socket.destroy(new NetError('NET_UNREACHABLE', `${host} does not answer.`));
    socket.setTimeout(CONNECT_MS, late);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('timeout', late);
    });
    return socket;
  };
}
