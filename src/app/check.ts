/** The result of one check of `skillgate doctor`. */

export interface Check {
  /** Stable, for programs. */
  readonly name:
    | 'node'
    | 'folders'
    | 'trust'
    | 'packages'
    | 'model'
    | 'index'
    | 'disk'
    | 'sandbox'
    | 'scripts'
    | 'tools'
    | 'hook'
    | 'host'
    | 'listing';
  /** `note`: worth knowing, but no failure. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly message: string;
  readonly details?: readonly string[];
}

export const check = (
  name: Check['name'],
  state: Check['state'],
  message: string,
  ...details: readonly string[]
): Check => ({ name, state, message, ...(details.length > 0 && { details }) });
