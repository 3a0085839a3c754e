/**
 * The base of every room's error class, and the message of anything thrown. Knows no codes: each room lists its own.
 */

/** Optional parts of an error: `data` for a program to act on, `cause` for the log. */
export interface ErrorDetails {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * An error with a stable code. The message says what failed, what was found and what to do; it holds no secret.
 * A room extends it once, as `class GatewayError extends CodedError<GatewayErrorCode>`, and sets `name`.
 */
export abstract class CodedError<Code extends string> extends Error {
  abstract override readonly name: string;
  readonly code: Code;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: Code, message: string, { data = {}, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = data;
  }
}

/** The message of anything thrown: an error's own, else the value as text. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The code of a system error, such as ENOENT; undefined where there is none. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
