/** Runs scripts of skills in a sandbox: for agents, older drafts and the command line. */

import type { ProcessEnvironment } from '../../src/app/configured.ts';
import type { Check, Extension, Settings } from '../../src/app/extension-api.ts';
import { scriptTools } from './mcp/script-tools.ts';
import { localSandbox, openScriptsFor } from './open-scripts.ts';
import { FORWARDER } from './sandbox/launcher.ts';
import { INSTALL_FORWARDER } from './sandbox/open.ts';

export const extension: Extension = {
  scripts: {
    open: ({ config, library, policy, environment, audit }) =>
      openScriptsFor(config, library, policy, environment, { audit }),
    tools: (scripts, { scripts: { domains } }) => scriptTools(scripts, domains.length > 0),
  },
  checks,
};

/** The most common interpreters of scripts. */
const INTERPRETERS = ['python3', 'node', 'bash', 'deno', 'ruby', 'perl'];

async function checks({ config: { scripts } }: Settings, environment: ProcessEnvironment): Promise<Check[]> {
  if (!scripts.enabled) return [{ name: 'scripts', state: 'ok', message: 'Running scripts is disabled.' }];
  const box = localSandbox(environment);
  const { layer, guarantees, problems } = await box.status();
  const checks: Check[] = [
    layer === null
      ? {
          name: 'sandbox',
          state: 'problem',
          message: `Scripts cannot run here. ${problems.join(' ')}`,
        }
      : { name: 'sandbox', state: 'ok', message: `${layer} works.`, details: guarantees },
  ];
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
