/** Errors of telemetry. */

import { CodedError } from '../errors/public.ts';

/** `TRACES_UNAVAILABLE`: traces are configured, but their packages are not installed. */
export type TelemetryErrorCode = 'TRACES_UNAVAILABLE';

export class TelemetryError extends CodedError<TelemetryErrorCode> {
  override readonly name = 'TelemetryError';
}
