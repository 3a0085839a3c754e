/** Serves MCP over HTTP, by itself or inside another web server. */

import type { Extension } from '../../src/app/extension-api.ts';
import { toHttpOptions } from './options.ts';

export const extension: Extension = {
  http: {
    async serve(factory, config, { flags, tokens, ...serving }) {
      const { serveOverHttp } = await import('./http.ts');
      const { auth, ...options } = toHttpOptions(config, flags);
      await serveOverHttp(factory, {
        ...options,
        auth: { ...auth, ...(tokens !== undefined && { tokens }) },
        ...serving,
      });
    },
    async handler(factory, options) {
      const { webHandler } = await import('./web-handler.ts');
      return webHandler(factory, options);
    },
  },
};
