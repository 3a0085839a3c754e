/** What can go wrong with another MCP server, told in one sentence that holds nothing secret. */

import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { ZodError } from 'zod';
import { NetError } from '../net/errors.ts';
import { METHOD_NOT_FOUND, PeerError, type PeerErrorCode } from './peer-error.ts';

export { METHOD_NOT_FOUND, PeerError, type PeerErrorCode };

/** True where the peer said that it has no such method. */
export const isMissingMethod = (error: unknown): boolean =>
  error instanceof PeerError
    ? error.data.code === METHOD_NOT_FOUND
    : error instanceof ProtocolError && error.code === METHOD_NOT_FOUND;

/** Longest part of a peer's own words in a message of ours, characters. */
const QUOTED_CHARACTERS = 300;

/**
 * What the SDK, the network or Node threw, as a `PeerError`; null for anything else, which is its thrower's affair.
 * `redact` hides what the peer was told in confidence.
 */
export function peerErrorOf(error: unknown, redact: (text: string) => string): PeerError | null {
  if (error instanceof PeerError) return error;
  const said = redact(messageOf(error)).replace(/\s+/g, ' ').slice(0, QUOTED_CHARACTERS);
  if (error instanceof ProtocolError) {
    const { code, data } = error;
    const shown = data === undefined ? undefined : JSON.parse(redact(JSON.stringify(data)));
    const message = sentence(`It refused (${code}): ${said}`);
    return new PeerError('PEER_REFUSED', message, { code, message: said, data: shown });
  }
  const reason = reasonOf(error);
  if (reason !== undefined) return new PeerError('PEER_UNREACHABLE', redact(reason));
  if (error instanceof SdkHttpError && error.status === 404 && /session/i.test(said))
    return new PeerError('PEER_FORGOT', 'It no longer knows the session.');
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return new PeerError('PEER_GONE', 'The connection ended before it had answered.');
  if (error instanceof SdkError) return new PeerError(codeOf(error), sentence(said));
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
    return new PeerError('PEER_SLOW', 'It did not answer in time.');
  if (error instanceof ZodError)
    return new PeerError('PEER_ANSWER', 'Its answer is not what the protocol says.');
  return null;
}

function codeOf({ code }: SdkError): PeerErrorCode {
  switch (code) {
    case SdkErrorCode.RequestTimeout:
      return 'PEER_SLOW';
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
      return 'PEER_GONE';
    case SdkErrorCode.EraNegotiationFailed:
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.UnsupportedResultType:
    case SdkErrorCode.CapabilityNotSupported:
      return 'PEER_ANSWER';
    case SdkErrorCode.ListPaginationExceeded:
      return 'PEER_FLOOD';
    default:
      return 'PEER_UNREACHABLE';
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The network's own reason, as deep as `fetch` and the SDK bury it: `ECONNREFUSED` and its like. */
function reasonOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    if (at instanceof NetError) return at.message;
    if ('code' in at && typeof at.code === 'string' && /^(?:E[A-Z0-9]+|UND_ERR_\w+)$/.test(at.code))
      return `It cannot be reached (${at.code}).`;
  }
  return undefined;
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
