/** Which addresses only this machine can reach. What may be done without authentication hangs on it. */

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

/** As it stands in a URL and in a `Host` header: IPv6 in brackets. */
export const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);
