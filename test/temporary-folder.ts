/**
 * All temporary folders of a test run are in one, which is removed with the run, also those of a test that was killed. An
 * empty home is one of them: no test reads the skills, the configuration or the caches of who runs it.
 */

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Name of the home below the folder of the run; `setup.ts` refuses another. */
const HOME = 'home';

/** A new folder, which is removed with the run. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 't-'));

/** Variables by which programs find a user's files outside of the home. */
const ELSEWHERE = /^(XDG_\w+|APPDATA|LOCALAPPDATA|CLAUDE_CONFIG_DIR|CODEX_HOME|COPILOT_HOME)$/;

/** What is wrong with the environment of a process that runs tests; '' if nothing. */
export function whyNotIsolated(env: NodeJS.ProcessEnv): string {
  const { HOME: home = '', TMPDIR: folder = '' } = env;
  if (folder === '' || home !== join(folder, HOME)) return `HOME is ${home}, not the home of the test run`;
  const name = Object.keys(env).find((key) => ELSEWHERE.test(key));
  return name === undefined ? '' : `${name} is set`;
}

/** Workers start after this and take over the environment. */
export default function setup(): () => void {
  // Short: the paths of sockets below it have at most 107 bytes.
  const folder = mkdtempSync(join(tmpdir(), 'sg-'));
  // Servers that tests start as another user pass through it.
  chmodSync(folder, 0o711);
  mkdirSync(join(folder, HOME));
  process.env.TMPDIR = folder;
  // Tests that run npm install from the registry that this user has configured.
  process.env.npm_config_userconfig ??= join(homedir(), '.npmrc');
  process.env.HOME = join(folder, HOME);
  process.env.USERPROFILE = process.env.HOME;
  for (const name of Object.keys(process.env)) if (ELSEWHERE.test(name)) delete process.env[name];
  return () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // A process that is ending still writes there: the system clears its folder of temporary files.
    }
  };
}
