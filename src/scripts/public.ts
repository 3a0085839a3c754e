/**
 * Runs a skill's script: from a request to an outcome.
 *
 * The skill is resolved through the caller's gateway, so nobody runs what they may not see. All files are read once and their
 * digest is compared with the catalog's: the bytes that were hashed are the bytes that run. Then follow a fair queue, the
 * sandbox, removal of secrets from the output, and storage of outputs in memory for a while. `docs/scripts.md` is the contract.
 * Consent, progress and cancellation on the wire belong to `mcp/`.
 */

export { allowedBy } from './allowed.ts';
export { ScriptRunner, type ScriptsOptions } from './script-runner.ts';
export {
  type Caller,
  type Confirm,
  type PreparedRun,
  type RunOptions,
  type ScriptInput,
  type ScriptOutcome,
  type ScriptRecord,
  type ScriptRequest,
  type Scripts,
  succeeded,
} from './scripts.ts';
