/**
 * The composition root: configuration → a running system.
 *
 * `settings.ts` is the only reader of the environment. One zod schema (`config/schema.ts`) gives the published JSON Schema, the
 * names of flags and variables, and the text of every error. Errors carry file, line and column. Secrets are filled in last
 * and masked wherever settings are shown. `open-library.ts` opens embedder, workers and library; the other files open one part each.
 * Commands and their output belong to `cli/`.
 */

export { AppError } from './app-error.ts';
export type { Check } from './check.ts';
export { type SourceEntry, withoutSource, withSources } from './config/edit.ts';
export { ConfigError } from './config/errors.ts';
export { referencesOf } from './config/expand.ts';
export { CONFIG_FILES, findConfigFile, isSmallForm, textOf } from './config/files.ts';
export { configJsonSchema } from './config/json-schema.ts';
export { masked, maskedUrl } from './config/mask.ts';
export { suggestion } from './config/problems.ts';
export { readConfig } from './config/read.ts';
export { configSchema, type SourceConfig } from './config/schema.ts';
export { entryFor, type Kind } from './config/source-location.ts';
export { nameSources } from './config/source-names.ts';
export { bytes, milliseconds } from './config/units.ts';
export { installedHosts } from './connect/detect.ts';
export { HOSTS, type Host, hostOf, type Scope } from './connect/hosts.ts';
export { hintCommandOf, launchOf } from './connect/launch.ts';
export { backupOf, type FileChange, hasHook, planConnect, planRemove } from './connect/plan.ts';
export { systemOf } from './connect/system.ts';
export { applyChange, checkWritable } from './connect/write.ts';
export { createSkillgate } from './create-skillgate.ts';
export { examine } from './examine.ts';
export { openExplore } from './explore.ts';
export { writeLock, writeWhole } from './lockfile.ts';
export { modelsFolder } from './model.ts';
export { missingFolders, requireNamedFolders } from './named-folders.ts';
export { openIndexed } from './open-indexed.ts';
export { collectingFor, openLearned } from './open-learning.ts';
export { openLibrary } from './open-library.ts';
export { policyOf } from './open-policy.ts';
export { openScriptsFor } from './open-scripts.ts';
export { type Fetching, fetchFor, lockSources, type OpenSources, openSources } from './open-sources.ts';
export { openCommandAudit } from './open-telemetry.ts';
export { packageRoot, packageVersion } from './package-root.ts';
export { checkSources } from './refused-sources.ts';
export { runServer } from './server.ts';
export {
  type CommonOptions,
  cacheFolderOf,
  configuredBy,
  fetchFolderOf,
  isThere,
  lockFileOf,
  type ProcessEnvironment,
  processEnvironment,
  type Settings,
  type SourceSettings,
  settingsOf,
} from './settings.ts';
export { collectStore, copyIn, copyOut, copyStatus, initStore, storeStatus } from './store/manage.ts';
export { publishPolicy, readSharedAudit, withSharedTokens } from './store/shared-state.ts';
