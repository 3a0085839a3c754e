/** The gateway of one principal, with tools of other servers: a loaded skill lists the tools that it names. */

import type { Gateway } from '../gateway.ts';
import type { Principal } from '../policy/principal.ts';
import type { Toolbox } from './toolbox.ts';

export function withTools(gateway: Gateway, principal: Principal, toolbox: Toolbox): Gateway {
  return {
    ...gateway,
    async load(request) {
      const loaded = await gateway.load(request);
      return { ...loaded, ...(await toolbox.load(loaded.entry, principal)) };
    },
    useTool: (request) => toolbox.use(request, principal),
  };
}
