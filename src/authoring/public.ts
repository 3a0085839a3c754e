/**
 * What helps those who write skills: checks that need all files of a skill, reports for code hosts.
 *
 * `skills/` judges one file while it parses it; every index run pays for that. What is here is asked for by name
 * (`skillgate validate`), so it may read every link of every file.
 */

export { checkSkill } from './check-skill.ts';
export { checkCollisions, type Described } from './collisions.ts';
export { type Located, toGithub, toSarif } from './report.ts';
export { faultOf } from './when-to-use.ts';
