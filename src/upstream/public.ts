/**
 * Connections to other MCP servers.
 *
 * A connection opens when it is first needed, and again after it was lost, over stdio pipes or guarded HTTP. Everything an
 * upstream server sends has a limit (`limits.ts`); every failure becomes an error without secrets. Tool lists are kept until
 * the server reports a change.
 */

export { originOf, type ProgramAddress, secretsOf, type UpstreamAddress } from './address.ts';
export { UpstreamConnection } from './connection.ts';
export { isMissingMethod } from './error-mapping.ts';
export { UpstreamError } from './errors.ts';
export { listItems } from './pagination.ts';
export { type CallToolResult, type ListedTool, type UpstreamCall, UpstreamTools } from './tools.ts';
