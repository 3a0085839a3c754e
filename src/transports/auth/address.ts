/** Which addresses a server may be sent to by what others wrote: public ones, unless its operator says otherwise. */

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** False for loopback, private, link-local, multicast, reserved and mapped forms of these, and for what is no address. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/** The host of a URL as an address, or null where it is a name. */
export function literalOf(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? null : host;
}

export type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** For connections: names resolve as ever, but a name with any private address is refused, before it is connected to. */
export function publicLookup(resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const hidden = addresses?.find(({ address }) => !isPublicAddress(address));
      const first = addresses?.[0];
      if (error !== null || first === undefined) return callback(error ?? new Error('No address.'), '', 0);
      if (hidden !== undefined)
        return callback(new Error(`${hostname} has the private address ${hidden.address}.`), '', 0);
      if (options.all === true) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}
