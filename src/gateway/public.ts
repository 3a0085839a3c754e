/**
 * The use cases: search, load, read, list, bundle, explain; one file each. `gateway.ts` is their interface, `open.ts` puts them
 * together.
 *
 * Interceptors stand around them, all built the same way: repair after damage, policy views, tools of upstream servers,
 * observation. Each use case answers from one snapshot of `library/`, or from a view of it that hides what the policy hides.
 * A view answers, byte for byte, as if the hidden skills did not exist (`docs/security-policy.md`).
 */

export { selectContext } from './context.ts';
export { inOwnThread, inThisThread } from './file-work.ts';
export { marksOfText, SCANNED_CHARACTERS, withFindings } from './findings.ts';
export {
  type CatalogSummary,
  type FoundBundle,
  type FoundSkill,
  type FoundSkills,
  type Gateway,
  GatewayError,
  type GatewayErrorCode,
  HEADING_SEPARATOR,
  type LoadedFile,
  type LoadedSkill,
  type ReadResult,
  type SkillLabel,
  type SkillOnDisk,
  type SkillTools,
  type TextSlice,
  type ToolProgress,
  type UpstreamTool,
} from './gateway.ts';
export { gatewaysFor, viewFor } from './gateway-per-grants.ts';
export { intercept } from './intercept.ts';
export { withLearning } from './learning.ts';
export { type Observer, observed, type UseCase, type UseCaseEnd } from './observed.ts';
export { openGateway } from './open.ts';
export { withRepair } from './repair.ts';
export { quoted, resolveSkill } from './resolve.ts';
export { filesOf, readSkillFile } from './skill-files.ts';
export { estimateTokens } from './tokens.ts';
export { type Gate, Toolbox, type ToolboxOptions, type Upstream } from './tools/toolbox.ts';
export { withTools } from './tools/with-tools.ts';
