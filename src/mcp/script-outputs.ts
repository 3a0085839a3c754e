/** Files that runs left, as resources: `skill-output://<run>/<path>`, for whoever asked for the run. */

import {
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { principalOf } from './principal.ts';
import type { OpenScripts } from './script-run.ts';
import type { Extension } from './server.ts';

export function scriptOutputs(scripts: OpenScripts): Extension {
  return {
    attach(server) {
      server.registerResource(
        'script-output',
        new ResourceTemplate('skill-output://{run}/{+path}', { list: undefined }),
        { title: 'Output of a script', description: 'A file that a run left, kept for a while' },
        async ({ href }, _variables, ctx): Promise<ReadResourceResult> => {
          const found = (await scripts()).output(href, principalOf(ctx.http?.authInfo));
          if (found === null)
            throw new ResourceNotFoundError(href, 'There is no such output, or it is not kept any more.');
          const { bytes, mimeType } = found;
          const text = textIn(bytes);
          return {
            contents: [
              text === null
                ? { uri: href, mimeType, blob: Buffer.from(bytes).toString('base64') }
                : { uri: href, mimeType, text },
            ],
          };
        },
      );
    },
  };
}

function textIn(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
