/** MCP servers that a source starts in the sandbox. */

import { bytes } from '../../src/app/config/units.ts';
import type { ScriptExtension } from '../../src/app/extension.ts';
import { localSandbox } from './open-scripts.ts';

export const confined: ScriptExtension['confined'] = (
  { read, write, network, memory, processes, workSize },
  environment,
) => {
  const sandbox = localSandbox(environment);
  return ({ command, args, env, cwd }) =>
    sandbox.start({
      ...{ command, args, env, cwd, read, write, network },
      limits: { memoryBytes: bytes(memory), workBytes: bytes(workSize), processes },
    });
};
