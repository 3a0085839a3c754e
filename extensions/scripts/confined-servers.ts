/** MCP servers that a source starts in the sandbox. */

import type { ScriptExtension } from '../../src/app/extension.ts';
import { localSandbox, RUN_LIMITS } from './open-scripts.ts';

/** Of each process of a server, which lives longer than a script. */
const MEMORY_BYTES = 2 ** 30;

export const confined: ScriptExtension['confined'] = ({ read, write, network }, environment) => {
  const sandbox = localSandbox(environment);
  return ({ command, args, env, cwd }) =>
    sandbox.start({
      ...{ command, args, env, cwd, read, write, network },
      limits: { memoryBytes: MEMORY_BYTES, workBytes: RUN_LIMITS.workBytes, processes: RUN_LIMITS.processes },
    });
};
