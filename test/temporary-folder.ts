/** All temporary folders of a test run stand in one, which goes with the run: also those of a test that was killed. */

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder, which goes with the run. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 't-'));

/** Workers start after this and take over the environment. */
export default function setup(): () => void {
  // Short: the paths of sockets below it have at most 107 bytes.
  const folder = mkdtempSync(join(tmpdir(), 'sg-'));
  // Servers that tests start as another user pass through it.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
