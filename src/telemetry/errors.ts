/** What telemetry cannot do with what it was told. */

/**
 * - `TRACES_UNAVAILABLE`: traces are configured, but the packages that make them are not installed.
 */
export type TelemetryErrorCode = 'TRACES_UNAVAILABLE';

export class TelemetryError extends Error {
  override readonly name = 'TelemetryError';
  readonly code: TelemetryErrorCode;

  constructor(code: TelemetryErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
