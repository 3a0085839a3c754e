/** Who asks. Made by the transport that authenticated the caller; everything below takes it as given. */

export interface Principal {
  /** What policy and audit call it: a token's name, a claim of a JWT; `local` for whoever started the process. */
  readonly id: string;
  /** OAuth scopes, or those given to a token. */
  readonly scopes: readonly string[];
}

/** The person at this machine: stdio, the command line, HTTP on loopback without authentication. */
export const LOCAL: Principal = { id: 'local', scopes: [] };
