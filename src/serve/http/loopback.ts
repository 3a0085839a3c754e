/** Loopback addresses: the only ones that may be served without authentication. */

import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True for `localhost`, 127.0.0.0/8 and ::1; any other name may resolve to anything. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** The host in the form of URLs and `Host` headers: IPv6 in brackets. */
export const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);
