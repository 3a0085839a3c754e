/** Maps errors of the SDK, the network and Node to `UpstreamError`. */

import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { ZodError } from 'zod';
import { errorMessage, systemCode } from '../../../src/base/errors.ts';
import { UpstreamError, type UpstreamErrorCode } from '../../../src/sources/upstream.ts';
import { NetError } from '../../net/errors.ts';

/** The JSON-RPC code of an unknown method. */
export const METHOD_NOT_FOUND = -32_601;

/** True if the server answered that it does not have the method. */
export const isMissingMethod = (error: unknown): boolean =>
  error instanceof UpstreamError
    ? error.data.code === METHOD_NOT_FOUND
    : error instanceof ProtocolError && error.code === METHOD_NOT_FOUND;

/** Longest quote of a server's own message, characters. */
const QUOTED_CHARACTERS = 300;

/**
 * An error of the SDK, the network or Node as an `UpstreamError`; null for any other error, which the caller keeps.
 * `redact` hides the configured secrets.
 */
export function toUpstreamError(error: unknown, redact: (text: string) => string): UpstreamError | null {
  if (error instanceof UpstreamError) return error;
  const quote = redact(errorMessage(error)).replace(/\s+/g, ' ').slice(0, QUOTED_CHARACTERS);
  if (error instanceof ProtocolError) {
    const { code, data } = error;
    const shown = data === undefined ? undefined : JSON.parse(redact(JSON.stringify(data)));
    const message = sentence(`It refused (${code}): ${quote}`);
    return new UpstreamError('UPSTREAM_REFUSED', message, {
      data: { code, message: quote, data: shown },
      cause: error,
    });
  }
  const reason = networkReason(error);
  if (reason !== undefined)
    return new UpstreamError('UPSTREAM_UNREACHABLE', redact(reason), { cause: error });
  if (error instanceof SdkHttpError && error.status === 404 && /session/i.test(quote))
    return new UpstreamError('UPSTREAM_FORGOT', 'It no longer knows the session.');
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return new UpstreamError('UPSTREAM_GONE', 'The connection ended before the answer came.');
  if (error instanceof SdkError)
    return new UpstreamError(toErrorCode(error), sentence(quote), { cause: error });
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
    return new UpstreamError('UPSTREAM_SLOW', 'It did not answer in time.');
  if (error instanceof ZodError)
    return new UpstreamError('UPSTREAM_ANSWER', 'Its answer does not follow the protocol.');
  return null;
}

function toErrorCode({ code }: SdkError): UpstreamErrorCode {
  switch (code) {
    case SdkErrorCode.RequestTimeout:
      return 'UPSTREAM_SLOW';
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
      return 'UPSTREAM_GONE';
    case SdkErrorCode.EraNegotiationFailed:
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.UnsupportedResultType:
    case SdkErrorCode.CapabilityNotSupported:
      return 'UPSTREAM_ANSWER';
    case SdkErrorCode.ListPaginationExceeded:
      return 'UPSTREAM_FLOOD';
    default:
      return 'UPSTREAM_UNREACHABLE';
  }
}

/** The network's own reason, which `fetch` and the SDK nest in causes: a `NetError`, or a code like `ECONNREFUSED`. */
function networkReason(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    if (at instanceof NetError) return at.message;
    const code = systemCode(at) ?? '';
    if (/^(?:E[A-Z0-9]+|UND_ERR_\w+)$/.test(code)) return `It cannot be reached (${code}).`;
  }
  return undefined;
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
