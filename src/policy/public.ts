/**
 * Who may see and run what. Rules and a principal give grants; grants choose skills.
 *
 * Decided before anything is searched. Pure functions over configuration and catalog entries: applying grants to an index is
 * the concern of `gateway/`.
 */

export { idsOf } from './choice.ts';
export type { Grants } from './grants.ts';
export { PolicyError, patternsOf } from './patterns.ts';
export { compilePolicy, type Policy, type PolicyOptions } from './policy.ts';
export { LOCAL, type Principal } from './principal.ts';
export { subjectOf, subjectsOf } from './subjects.ts';
