/** Patterns of domain names: shared by a setting and by what checks the requests of scripts. */

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
/** A last label begins with a letter: all notations of IPv4 addresses (`127.1`, `0x7f000001`) end in a number. */
const NAME = `(?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?`;
/** A domain name in lower case. */
export const HOST_NAME = new RegExp(`^(?=.{1,253}$)${NAME}$`);
/** In lower case, with at least two labels, so that `*.com` is not a pattern. */
export const DOMAIN_PATTERN = new RegExp(`^(?=.{1,253}$)(?:\\*\\.)?${NAME}$`);
