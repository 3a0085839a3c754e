/** Names the tools of other servers that a loaded skill needs, and calls them. */

import type { Toolbox } from '../tools/toolbox.ts';
import type { Layer } from './layer.ts';

export const useTools =
  (toolbox: Toolbox): Layer =>
  (next, { principal }) => ({
    ...next,
    async load(request) {
      const loaded = await next.load(request);
      return { ...loaded, ...(await toolbox.load(loaded.entry, principal)) };
    },
    useTool: (request) => toolbox.use(request, principal),
  });
