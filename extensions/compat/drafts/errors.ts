/**
 * Errors of the older drafts. Draft A has its own codes, with data that names the skill; draft B (SEP-2076) uses -32602
 * for every mistake of the caller.
 */

import {
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { clip } from '../../../src/base/text.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { type Log, toProtocolError } from '../../../src/mcp/errors.ts';

/** Codes of draft A. */
const SKILL_NOT_FOUND = -32_002;
export const SCRIPT_FAILED = -32_003;
const REFERENCE_NOT_FOUND = -32_004;
/**
 * Is `SKILL_NOT_FOUND` inside the SDK, which sends -32002 as -32602 because its earlier releases used -32002 for
 * a missing resource. An unused code of the range that JSON-RPC reserves for servers.
 */
const STAND_IN = -32_052;

/** Draft A's error for a failed call on the skill that the caller named. */
export function draftError(error: unknown, name: string, log: Log): ProtocolError {
  if (!(error instanceof GatewayError)) {
    const { code, message, data } = toProtocolError(error, log);
    return new ProtocolError(code, message, { name, ...(data instanceof Object ? data : {}) });
  }
  const { code, message, data } = error;
  const wireCode = CODES[code] ?? ProtocolErrorCode.InvalidParams;
  return new ProtocolError(wireCode, clip(message, 4_000), { name, code, ...data });
}

const CODES: Partial<Record<GatewayError['code'], number>> = {
  SKILL_UNKNOWN: STAND_IN,
  SKILL_AMBIGUOUS: STAND_IN,
  SKILL_GONE: STAND_IN,
  PATH_UNKNOWN: REFERENCE_NOT_FOUND,
  PATH_REFUSED: REFERENCE_NOT_FOUND,
  SCRIPT_REFUSED: SCRIPT_FAILED,
  SCRIPTS_BUSY: SCRIPT_FAILED,
  SCRIPTS_UNAVAILABLE: SCRIPT_FAILED,
  SCRIPT_CANCELLED: SCRIPT_FAILED,
};

/** Makes the transport of a connected server replace the stand-in with the draft's code. */
export function sendDraftCodes({ server: { transport } }: McpServer): void {
  if (transport === undefined) return;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(withDraftCode(message), options);
}

function withDraftCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCErrorResponse(message) || message.error.code !== STAND_IN) return message;
  return { ...message, error: { ...message.error, code: SKILL_NOT_FOUND } };
}
