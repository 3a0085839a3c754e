/** Every failure that a caller of skillgate can act on, under a stable code. JSON-RPC errors are made of them in `mcp/`. */

import { CodedError } from '../base/errors.ts';

/**
 * - `SKILL_UNKNOWN`: no skill has that id, URI or name; `data.nearest` holds up to five ids.
 * - `SKILL_AMBIGUOUS`: several skills have that name; `data.candidates` holds {id, description} of each.
 * - `SKILL_GONE`: the skill is in the catalog, but its file can no longer be read.
 * - `SECTION_UNKNOWN`: no such heading; `data.headings` holds those that exist.
 * - `PATH_UNKNOWN`: no such file in the skill; `data.nearest` holds up to five paths.
 * - `PATH_REFUSED`: the path leads out of the skill's folder.
 * - `FILE_BINARY`: neither text nor an image that models accept; `data` holds path, mimeType, size, and what it is.
 * - `FILE_TOO_LARGE`: over the limit of one read; `data` holds size and limit.
 * - `LINES_INVALID`: not a line range of the file; `data.lineCount` is the file's length.
 * - `REQUEST_INVALID`: an argument is out of range; the message says which, and what is allowed.
 * - `TOOL_REFUSED`: no such tool of another server, or it may not be called; `data` holds server and tool.
 * - `UPSTREAM_FAILED`: the other server failed; `data.reason` is a `UpstreamErrorCode`, `data.upstream` its JSON-RPC error.
 * - `TOOL_RESULT_TOO_LARGE`: the tool's result is over the limit; `data` holds size and limit.
 * - `SCRIPT_UNKNOWN`: no such file below the skill's `scripts/`; `data.scripts` holds those that exist.
 * - `SCRIPT_REFUSED`: the script may not be run, or its skill differs from what the catalog holds.
 * - `SCRIPT_ARGUMENTS`: the arguments cannot be passed on; the message says why.
 * - `SCRIPTS_BUSY`: too many runs are waiting.
 * - `SCRIPTS_UNAVAILABLE`: there is no sandbox, or it could not be set up: nothing was run.
 * - `AUDIT_UNAVAILABLE`: the audit log cannot be written, and this server answers nothing without it.
 * - `CATALOG_UNAVAILABLE`: the store of this gateway is out of reach, and what the call needs is not held here.
 * - `RIGHTS_UNKNOWN`: the policy that gateways share is too old here, or this version cannot read it: nothing is answered.
 * - `SCRIPT_CANCELLED`: the run was cancelled or declined before it began.
 */
export type GatewayErrorCode =
  | 'SKILL_UNKNOWN'
  | 'SKILL_AMBIGUOUS'
  | 'SKILL_GONE'
  | 'SECTION_UNKNOWN'
  | 'PATH_UNKNOWN'
  | 'PATH_REFUSED'
  | 'FILE_BINARY'
  | 'FILE_TOO_LARGE'
  | 'LINES_INVALID'
  | 'REQUEST_INVALID'
  | 'TOOL_REFUSED'
  | 'UPSTREAM_FAILED'
  | 'TOOL_RESULT_TOO_LARGE'
  | 'AUDIT_UNAVAILABLE'
  | 'CATALOG_UNAVAILABLE'
  | 'RIGHTS_UNKNOWN'
  | 'SCRIPT_UNKNOWN'
  | 'SCRIPT_REFUSED'
  | 'SCRIPT_ARGUMENTS'
  | 'SCRIPTS_BUSY'
  | 'SCRIPTS_UNAVAILABLE'
  | 'SCRIPT_CANCELLED';

export class GatewayError extends CodedError<GatewayErrorCode> {
  override readonly name = 'GatewayError';
}
