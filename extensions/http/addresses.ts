/** Where a request comes from, through trusted proxies only. */

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Most addresses of `X-Forwarded-For` that are looked at: chains of proxies are short. */
const MAX_HOPS = 20;

/** Whether an address is one of these addresses and networks (`10.0.0.0/8`). */
export function addressSet(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The client's address: the connection's, or, if that is a trusted proxy's, the last address in `X-Forwarded-For` that no
 * trusted proxy has. Whatever is before it was written by the client.
 */
export function clientAddress(isTrusted: (address: string) => boolean): (request: IncomingMessage) => string {
  return ({ socket, headers }) => {
    const connected = plain(socket.remoteAddress ?? '');
    if (!isTrusted(connected)) return connected;
    const { 'x-forwarded-for': header = '' } = headers;
    const hops = String(header).split(',').slice(-MAX_HOPS).reverse();
    let nearest = connected;
    for (const hop of hops.map((text) => plain(text.trim()))) {
      if (isIP(hop) === 0) break;
      nearest = hop;
      if (!isTrusted(hop)) break;
    }
    return nearest;
  };
}

/** `::ffff:192.0.2.1`, as dual-stack sockets report it, is 192.0.2.1. */
export const plain = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;

/** What limits count as one address: of IPv6 the first 64 bits, since one client has all of the others. */
export function toNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  return `${ipaddr.IPv6.parse(address).parts.slice(0, 4).join(':')}/64`;
}
