import { request } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Explorer } from '../../../extensions/explore/explorer.ts';
import { PAGE_HEADERS } from '../../../extensions/explore/sent.ts';
import { type ExploreServer, serveExplorer } from '../../../extensions/explore/server.ts';
import { Packed } from '../../../extensions/explore/work.ts';

const asked: unknown[] = [];
const explorer: Explorer = {
  async answer(name, body, principal) {
    asked.push({ name, body, principal: principal.id });
    return { status: 200, body: name === 'map' ? PACKED : { name } };
  },
};
const PACKED = new Packed(gzipSync('{"state":"done","result":[1]}'));
const files = new Map([['', { gzip: gzipSync('<p>page</p>'), headers: { ...PAGE_HEADERS } }]]);

let server: ExploreServer;
let port: number;
let token: string;
beforeAll(async () => {
  server = await serveExplorer({ explorer, files, port: 0 });
  ({ port, token } = server);
});
afterAll(() => server.close());

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** With Node's own client, since fetch does not let a caller choose Host. */
const ask = ({ path = '/api/search', method = 'POST', headers = {}, body = '{}' }: Asked) =>
  new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const own = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
      const sent = request({ host: '127.0.0.1', port, path, method, headers: own }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => {
          const { statusCode: status = 0, headers: sent } = response;
          const bytes = Buffer.concat(pieces);
          const text = String(sent['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes);
          resolve({ status, headers: sent, text });
        });
      });
      sent.on('error', reject);
      sent.end(method === 'POST' ? body : undefined);
    },
  );

describe('serveExplorer', () => {
  it('leads once to the page with its token, by a URL that does not have it', async () => {
    const page = `http://127.0.0.1:${port}/#token=${token}`;
    const path = new URL(server.urlOnce(page)).pathname;
    expect(path).not.toContain(token);
    expect((await ask({ path: '/start/x', method: 'GET' })).status).toBe(404);
    expect(await ask({ path, method: 'GET' })).toMatchObject({ status: 303, headers: { location: page } });
    expect((await ask({ path, method: 'GET' })).status).toBe(404);
  });

  it('answers requests with the token as the local user', async () => {
    const { status, text } = await ask({ body: '{"query":"a"}' });
    expect([status, text]).toEqual([200, '{"name":"search"}']);
    expect(asked.at(-1)).toEqual({ name: 'search', body: { query: 'a' }, principal: 'local' });
  });

  it('keeps the token in the fragment, which browsers send to nobody, and has no other in its files', async () => {
    expect(token).toMatch(/^[\w-]{32}$/);
    expect((await ask({ path: '/', method: 'GET', headers: { authorization: '' } })).text).not.toContain(
      token,
    );
  });

  it.each([
    ['no token', { headers: { authorization: '' } }, 401],
    ['another token', { headers: { authorization: 'Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' } }, 401],
    ['the token without Bearer', { headers: { authorization: 'token' } }, 401],
    ['a name that was rebound to this machine', { headers: { host: 'evil.example' } }, 403],
    ['another port of this machine', { headers: { host: '127.0.0.1:1' } }, 403],
    ['another origin', { headers: { origin: 'https://evil.example' } }, 403],
    ['an origin on another port', { headers: { origin: 'http://127.0.0.1:1' } }, 403],
    ['an opaque origin', { headers: { origin: 'null' } }, 403],
    ['a page of another site', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['a page of another port', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
    ['a form', { headers: { 'content-type': 'text/plain' } }, 415],
    ['PUT', { method: 'PUT' }, 405],
    ['a body of more than 1 MiB', { body: ' '.repeat(2 ** 20 + 1) }, 413],
    ['a file that is not part of the page', { method: 'GET', path: '/../package.json' }, 404],
    ['a POST to the page', { path: '/' }, 405],
  ])('refuses %s', async (_, request, status) => {
    const before = asked.length;
    expect((await ask(request)).status).toBe(status);
    expect(asked).toHaveLength(before);
  });

  it('lets browsers run the page’s own files alone', async () => {
    for (const answer of [await ask({ path: '/', method: 'GET' }), await ask({})]) {
      const policy = String(answer.headers['content-security-policy']).split('; ');
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("style-src 'self'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy.join()).not.toMatch(/unsafe|\*|https?:|data:|blob:/);
      expect(answer.headers['referrer-policy']).toBe('no-referrer');
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it.each(['gzip, br', 'identity'])(
    'sends what took long to compute once, to clients that take %s',
    async (encoding) => {
      const get = { method: 'GET', path: '/api/map' };
      const headers = { 'accept-encoding': encoding };
      const first = await ask({ ...get, headers });
      expect(first).toMatchObject({ status: 200, text: '{"state":"done","result":[1]}' });
      expect(first.headers['content-encoding']).toBe(encoding === 'identity' ? undefined : 'gzip');
      expect(first.headers['cache-control']).toBe('private, no-cache');
      expect(first.headers.vary).toContain('authorization');
      const again = await ask({
        ...get,
        headers: { ...headers, 'if-none-match': String(first.headers.etag) },
      });
      expect(again).toMatchObject({ status: 304, text: '' });
      expect((await ask({ ...get, path: '/api/overview' })).headers['cache-control']).toBe('no-store');
    },
  );

  it('hands over what is no JSON for the schema to refuse', async () => {
    await ask({ body: 'no json' });
    expect(asked.at(-1)).toMatchObject({ body: undefined });
  });
});
