/**
 * Secrets out of texts: what is logged, and what scripts print. `secret-rules.ts` is a kept list of formats, `redact.ts`
 * applies it. Which members of a request are masked by name, and which texts go through here, is each caller's decision.
 */

export { SECRET_NAME, withoutSecrets } from './redact.ts';
