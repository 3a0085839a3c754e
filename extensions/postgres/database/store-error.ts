/** Errors of the driver and of PostgreSQL as `StoreError`. */

import { errorMessage, systemCode } from '../../../src/base/errors.ts';
import { full, StoreError } from '../index-store.ts';

/** Of one gateway: two that move much, and one that listens. */
export const CONNECTIONS = 3;

/** PostgreSQL's classes of codes: the role may not do it; a table or schema is missing. */
const REFUSED = ['42501', '28000', '28P01', '25006'];
const MISSING = ['42P01', '3F000'];
const FULL = '53100';
/** Codes of Node for a certificate that cannot be verified. */
const UNTRUSTED = /^(ERR_TLS_CERT|SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|CERT_)/;
const NO_CONNECTION = '53300';
/** The server is shutting down, starting, or has no memory left. */
const AWAY = /^(57P|53|08)/;

/** Errors of the driver and the server as `StoreError`; others as they are. */
export function storeErrorOf(error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const code = systemCode(error) ?? '';
  const cause = { cause: error };
  if (REFUSED.includes(code))
    return new StoreError('STORE_REFUSED', `The database refuses: ${errorMessage(error)}.`, cause);
  if (MISSING.includes(code))
    return new StoreError(
      'STORE_MISSING',
      `The database lacks tables of skillgate: ${errorMessage(error)}. Run skillgate store init.`,
      cause,
    );
  if (UNTRUSTED.test(code))
    return new StoreError(
      'STORE_REFUSED',
      `The certificate of the database is not trusted: ${errorMessage(error)}. sslrootcert of store.url names the authority, and the host must be the one that it is for.`,
      cause,
    );
  if (code === NO_CONNECTION)
    return new StoreError(
      'STORE_CONNECTIONS',
      `The database has no connection left: ${errorMessage(error)}. A gateway needs ${CONNECTIONS}: raise max_connections, or the limit of the role.`,
      cause,
    );
  if (code === FULL && error instanceof Error) return full('the database', error);
  // What has no code of five characters comes from the network or the driver: broken, refused, timed out.
  const isOfServer = /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
  if (AWAY.test(code) || (error instanceof Error && !isOfServer && !(error instanceof TypeError)))
    return new StoreError(
      'STORE_UNREACHABLE',
      `The database does not answer: ${errorMessage(error) || code}.`,
      cause,
    );
  return error;
}
