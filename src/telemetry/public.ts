/**
 * What happened: metrics, audit log, traces.
 *
 * Each listens to the start and end of every use case at one place, the observed gateway, so no surface can forget to
 * report. The packages of each are loaded only where it is configured.
 */

export { type Access, type Audit, type AuditEvent, type AuditTarget, openAudit } from './audit.ts';
export { type LoggedCall, readCalls } from './calls.ts';
export { verifyChain } from './chain.ts';
export { type Metrics, type MetricsOptions, openMetrics } from './metrics.ts';
export { openTraces, type Traces } from './traces.ts';
export { countsOf, type Need, querySetOf, type Usage, usageOf } from './usage.ts';
