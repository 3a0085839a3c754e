/**
 * Which settings a project's file may use unasked, next to the schema. A test demands a class for each setting of the
 * schema; what has none needs trust. Which parts of a file these are is `split.ts`.
 */

/**
 * - `harmless`: chooses among what is there, and runs, connects, reads, writes and sends nothing.
 * - `inside`: a path, harmless inside of the project's folder.
 * - `trust`: runs, connects, reads or writes elsewhere, sends data, or decides who sees what and how much.
 */
export type TrustClass = 'harmless' | 'inside' | 'trust';

/** Lists have the path of their entries; a source has that of its kind: `sources.git.url`. */
export const TRUST_CLASSES: Readonly<Record<string, TrustClass>> = {
  $schema: 'harmless',
  ...classed('sources.local', 'harmless', 'kind name'),
  'sources.local.root': 'inside',
  // Links lead out of the project.
  'sources.local.links': 'trust',
  ...classed('sources.git', 'trust', 'kind name url ref folder tokenEnv'),
  ...classed('sources.git.signedBy', 'trust', 'allowedSigners gnupgHome'),
  ...classed('sources.mcp', 'trust', 'kind name command args env cwd url headers fetch tools allowPrivate'),
  ...classed('sources.mcp.sandbox', 'trust', 'read write network'),
  ...classed('sources.well-known', 'trust', 'kind name url headers allowPrivate signedBy.minisign'),
  ...classed('sources.archive', 'trust', 'kind name path folder signedBy.minisign'),
  refresh: 'trust',
  'index.folder': 'trust',
  'index.embedder': 'trust',
  // Names only what the catalog has, and what its caller may see.
  pinned: 'harmless',
  // The user's own rules and limits are not the project's to change.
  ...classed('policy', 'trust', 'default disabled rules.who rules.tools rules.scripts rules.callsPerMinute'),
  ...classed('policy.rules.allow', 'trust', 'sources skills tags'),
  ...classed('policy.rules.deny', 'trust', 'sources skills tags suspicious'),
  'auth.tokens': 'trust',
  ...classed('auth.oauth', 'trust', 'issuer audience requiredScopes allowPrivate'),
  ...classed('http', 'trust', 'host port publicUrl tls.cert tls.key allowedHosts allowedOrigins explore'),
  'http.trustedProxies': 'trust',
  ...classed('limits', 'trust', 'callsPerMinute bytesPerMinute callsInFlight maxConnections requestTimeout'),
  ...classed('telemetry', 'trust', 'log audit auditRequired redact otlp'),
  ...classed('tools', 'trust', 'gate'),
  ...classed('scripts', 'trust', 'enabled sources skills confirm timeout memory domains folders env'),
  ...classed('store', 'trust', 'url schema role search cache shares lease maxStale'),
  // `learn` alone is the switch.
  learn: 'trust',
  'learn.minPrincipals': 'trust',
  'validate.rules': 'harmless',
};

function classed(above: string, is: TrustClass, names: string): Record<string, TrustClass> {
  return Object.fromEntries(names.split(' ').map((name) => [`${above}.${name}`, is]));
}

/** A setting that has no class needs trust. */
export const trustClassOf = (path: string): TrustClass =>
  (Object.hasOwn(TRUST_CLASSES, path) ? TRUST_CLASSES[path] : undefined) ?? 'trust';
