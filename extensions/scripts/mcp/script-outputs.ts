/** Files that script runs left, as resources: `skill-output://<run>/<path>`, for the caller who started the run. */

import {
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { demandWhole } from '../../../src/gateway/skill-files.ts';
import { principalOf } from '../../../src/mcp/principal.ts';
import type { OpenScripts } from '../../../src/mcp/script-tools.ts';
import type { ServerFeature } from '../../../src/mcp/server.ts';
import { contentsOf } from '../../../src/mcp/text.ts';

export function scriptOutputs(scripts: OpenScripts): ServerFeature {
  return {
    attach(server) {
      server.registerResource(
        'script-output',
        new ResourceTemplate('skill-output://{run}/{+path}', { list: undefined }),
        { title: 'Output of a script', description: 'A file that a run left, kept for a while' },
        async ({ href }, _variables, ctx): Promise<ReadResourceResult> => {
          const found = (await scripts()).output(href, principalOf(ctx.http?.authInfo));
          if (found === null)
            throw new ResourceNotFoundError(href, 'There is no such output, or it is no longer kept.');
          const { bytes, mimeType } = found;
          demandWhole(href, bytes.length);
          return { contents: [{ uri: href, mimeType, ...contentsOf(bytes) }] };
        },
      );
    },
  };
}
