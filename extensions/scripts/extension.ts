/** Runs scripts of skills in a sandbox: for agents, older drafts and the command line, and MCP servers that ask for it. */

import type { ProcessEnvironment } from '../../src/app/configured.ts';
import type { Check, Extension, ScriptExtension } from '../../src/app/extension.ts';
import type { Settings } from '../../src/app/settings.ts';
import { scriptTools } from './mcp/script-tools.ts';
import { localSandbox, openScriptsFor, RUN_LIMITS } from './open-scripts.ts';
import { FORWARDER } from './sandbox/launcher.ts';
import { INSTALL_FORWARDER } from './sandbox/open.ts';

/** Of each process of a server, which lives longer than a script. */
const MEMORY_BYTES = 2 ** 30;

const confined: ScriptExtension['confined'] = ({ read, write, network }, environment) => {
  const sandbox = localSandbox(environment);
  return ({ command, args, env, cwd }) =>
    sandbox.start({
      ...{ command, args, env, cwd, read, write, network },
      limits: { memoryBytes: MEMORY_BYTES, workBytes: RUN_LIMITS.workBytes, processes: RUN_LIMITS.processes },
    });
};

export const extension: Extension = {
  scripts: {
    open: ({ config, library, policy, environment, audit }) =>
      openScriptsFor(config, library, policy, environment, { audit }),
    tools: (scripts, { scripts: { domains } }) => scriptTools(scripts, domains.length > 0),
    confined,
  },
  checks,
};

/** The most common interpreters of scripts. */
const INTERPRETERS = ['python3', 'node', 'bash', 'deno', 'ruby', 'perl'];

async function checks({ config: { scripts } }: Settings, environment: ProcessEnvironment): Promise<Check[]> {
  const box = localSandbox(environment);
  const { layer, guarantees, problems } = await box.status();
  const needed = scripts.enabled;
  const checks: Check[] = [
    layer === null
      ? {
          name: 'sandbox',
          state: needed ? 'problem' : 'note',
          message: `Scripts cannot run here. ${problems.join(' ')}`,
        }
      : { name: 'sandbox', state: 'ok', message: `${layer} works.`, details: guarantees },
  ];
  if (!needed) return [...checks, { name: 'scripts', state: 'ok', message: 'Running scripts is disabled.' }];
  const found = INTERPRETERS.filter((program) => box.programPath(program) !== null);
  const allowsNone = scripts.sources.length === 0 || scripts.skills.length === 0;
  const lacking = scripts.domains.length > 0 && box.programPath(FORWARDER) === null;
  const faults = [
    allowsNone ? 'scripts.sources and scripts.skills allow no skill.' : '',
    lacking ? `Scripts cannot reach scripts.domains: ${INSTALL_FORWARDER}` : '',
  ].filter(Boolean);
  return [
    ...checks,
    {
      name: 'scripts',
      state: lacking ? 'problem' : allowsNone ? 'note' : 'ok',
      message: ['Running scripts is enabled.', ...faults].join(' '),
      details: [`Interpreters available in the sandbox: ${found.join(', ') || 'none'}.`],
    },
  ];
}
