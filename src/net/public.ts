/**
 * Guarded network access. `openGuard` gives a fetch that speaks HTTPS to public addresses only; the address is checked where the connection is
 * made, so names, redirects and later DNS answers cannot lead inside. Bytes, time and slowness are bounded. `proxy.ts`
 * gives the same to sandboxed scripts, for allowed domains.
 */

export { commonDomains, DOMAIN_PATTERN } from './domains.ts';
export { bytesOf, type Download, download } from './download.ts';
export { NetError, shownUrl } from './errors.ts';
export { type Guard, openGuard, permit } from './guarded-fetch.ts';
export { DomainProxy, NO_TRAFFIC, type Traffic } from './proxy.ts';
export type { Connect } from './public-connect.ts';
