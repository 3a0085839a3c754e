/** Which addresses are public. Any other address may lead to services meant for this machine or network only. */

import ipaddr from 'ipaddr.js';

/** Public by number, but the metadata service of a cloud (Azure). */
const METADATA = new Set(['168.63.129.16']);
/** Global unicast IPv6: RFC 4291, section 2.4, and IANA's registry. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True for global unicast addresses only. False for loopback, private, shared, link-local, unique-local, reserved,
 * multicast and documentation addresses, for IPv6 forms of such IPv4 addresses, and for text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(GLOBAL_IPV6);
  return !METADATA.has(parsed.toString());
}

/** The address if a URL's host is one, null for a name. */
export function literalOf(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : null;
}
