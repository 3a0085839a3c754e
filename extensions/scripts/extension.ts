/** Runs scripts of skills in a sandbox: for agents, older drafts and the command line, and MCP servers that ask for it. */

import type { Extension } from '../../src/app/extension.ts';
import { checks } from './checks.ts';
import { confined } from './confined-servers.ts';
import { scriptTools } from './mcp/script-tools.ts';
import { openScriptsFor } from './open-scripts.ts';

export const extension: Extension = {
  scripts: {
    open: ({ config, library, policy, environment, audit }) =>
      openScriptsFor(config, library, policy, environment, { audit }),
    tools: (scripts, { scripts: { domains } }) => scriptTools(scripts, domains.length > 0),
    confined,
  },
  checks,
};
