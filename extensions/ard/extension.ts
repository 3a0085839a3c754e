/** A registry of Agentic Resource Discovery over HTTP: other finders search the skills that their token may see. */

import type { Extension, Page, Sent } from '../../src/app/extension-api.ts';
import { errorBody, Registry, type Reply } from './registry.ts';

const PATH = '/ard';
const MANIFEST = '/.well-known/ai-catalog.json';

/** A file of a skill is no page of this server: a browser that shows it runs nothing of it. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

export const extension: Extension = {
  page({ settings: { config }, log, visitor, served }): Page {
    if (config.ard === undefined) throw new Error('The configuration has no ard.');
    const registry = new Registry({ config: config.ard, log });
    return {
      path: PATH,
      wellKnown: MANIFEST,
      headers: HEADERS,
      isAwaited: true,
      file: (path, { endpoint }) =>
        path === MANIFEST ? toSent({ status: 200, body: registry.manifest(registryUrl(endpoint)) }) : null,
      callsOf: () => 1,
      async answer(name, request, principal, { endpoint }) {
        const open = async () => {
          const { library } = await visitor(principal);
          return { library, gateway: await served(principal) };
        };
        return toSent(await registry.answer(name, request, open, registryUrl(endpoint)));
      },
      refusal: errorBody,
    };
  },
};

/** Next to the MCP endpoint, also below the path of a proxy. */
const registryUrl = ({ href }: URL) =>
  `${href.replace(/[?#].*$/, '').replace(/\/(mcp\/?)?$/, '')}${PATH}/api`;

function toSent(reply: Reply): Sent {
  const [bytes, type] =
    'bytes' in reply
      ? [reply.bytes, reply.mimeType]
      : [Buffer.from(JSON.stringify(reply.body)), 'application/json'];
  const headers = { ...HEADERS, 'content-type': type, 'content-length': String(bytes.length) };
  return { status: reply.status, headers, bytes };
}
