/** Which addresses belong to the public internet: all others may lead to what only this machine is meant to reach. */

import ipaddr from 'ipaddr.js';

/** Public by their number, yet answering with what the host's own cloud keeps for it (Azure). */
const METADATA = new Set(['168.63.129.16']);
/** IPv6 that is given out to the public: RFC 4291, section 2.4, and IANA's registry. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True for global unicast addresses alone. Loopback, private, shared, link-local, unique-local, reserved, multicast
 * and documentation addresses are not, nor IPv4 in the clothes of IPv6 where that would not be, nor what is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(GLOBAL_IPV6);
  return !METADATA.has(parsed.toString());
}

/** The address that a URL's host is, or null for a name. */
export function literalOf(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : null;
}
