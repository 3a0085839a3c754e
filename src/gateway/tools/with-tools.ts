/** A gateway whose skills come with the tools of other servers that they name, and which calls them: one for each principal. */

import type { Gateway } from '../gateway.ts';
import type { Principal } from '../principal.ts';
import type { Toolbox } from './toolbox.ts';

export function withTools(gateway: Gateway, principal: Principal, toolbox: Toolbox): Gateway {
  return {
    ...gateway,
    async load(request) {
      const loaded = await gateway.load(request);
      const tools = await toolbox.load(loaded.entry, principal);
      return tools === undefined ? loaded : { ...loaded, tools };
    },
    useTool: (request) => toolbox.use(request, principal),
  };
}
