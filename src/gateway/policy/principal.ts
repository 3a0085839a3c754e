/** Who makes a call. The transport that authenticated the caller creates it; the rooms below trust it. */

export interface Principal {
  /** The name that policy and audit use: a token's name, a claim of a JWT; `local` for the user who started the process. */
  readonly id: string;
  /** OAuth scopes, or those of a token. */
  readonly scopes: readonly string[];
}

/** The user of this machine: stdio, the command line, HTTP on loopback without authentication. */
export const LOCAL: Principal = { id: 'local', scopes: [] };
