/** `npm test`: format and lint, types, build and tests, one after the other, and how long each took. Ends with the first that fails. */

import { spawnSync } from 'node:child_process';

const PARTS = ['lint', 'types', 'build', 'unit'];
const times = [];
let status = 0;
for (const part of PARTS) {
  const begun = performance.now();
  ({ status } = spawnSync('npm', ['run', '--silent', part], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  }));
  times.push(`  ${part.padEnd(6)} ${((performance.now() - begun) / 1000).toFixed(0).padStart(4)} s`);
  if (status !== 0) {
    times.push(`npm test: ${part} failed.`);
    break;
  }
}
const rest =
  'Not included: npm run test:thorough (attacks, faults, long tests) and npm run test:browser. .ci/run runs them too.';
process.stdout.write(`\n${[...times, ...(status === 0 ? [rest] : [])].join('\n')}\n`);
process.exitCode = status ?? 1;
