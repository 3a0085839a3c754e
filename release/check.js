/**
 * `npm run release:check`, which builds first: prints what is wrong with the release, and exits with 1 if anything is.
 * `node release/check.js FOLDER` leaves the package in that folder.
 */

import { resolve } from 'node:path';
import { problemsOf } from './checks.js';

const { problems, summary } = await problemsOf(resolve(import.meta.dirname, '..'), {
  kept: process.argv[2],
});
console.log(summary);
for (const problem of problems) console.error(`✗ ${problem}`);
console.log(problems.length === 0 ? 'Ready for release.' : `${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;
