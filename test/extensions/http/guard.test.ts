/** Hosts and origins: our own, configured, and foreign. */

import { describe, expect, it } from 'vitest';
import { crossOrigin, type GuardOptions, guard } from '../../../extensions/http/guard.ts';
import { ask, listening } from '../../src/serve/stdio/ask.ts';

/** Answers with the CORS headers, or as the guard does. */
async function guarded(options: GuardOptions) {
  const isForeign = guard(options);
  const reasons: (string | null)[] = [];
  const { url } = await listening((request, response) => {
    const reason = isForeign(request, response);
    reasons.push(reason);
    if (reason === null) response.writeHead(200, crossOrigin(request)).end();
  });
  return { url, reasons };
}

const PUBLIC = { host: '0.0.0.0', publicUrl: new URL('https://skills.example/mcp') };

describe('a host', () => {
  it.each([
    ['skills.example', 200],
    ['skills.example:8443', 200],
    ['localhost:1', 200],
    ['10.1.2.3', 200],
    ['[fd00::1]:80', 200],
    ['evil.example', 403],
    ['skills.example.evil.example', 403],
    ['xskills.example', 403],
    ['user@localhost', 400],
    ['localhost/x', 400],
    ['LocalHost:', 200],
    ['[', 400],
    ['127.1', 400],
    ['0x7f000001:80', 400],
    ['localhost?x', 400],
  ])('%s is answered with %i', async (host, status) => {
    const { url, reasons } = await guarded({ ...PUBLIC, allowedHosts: ['10.1.2.3:3000', '[fd00::1]'] });
    expect((await ask(url, { headers: { host } })).status).toBe(status);
    expect(reasons).toEqual([status === 200 ? null : 'host']);
  });
});

describe('an origin', () => {
  const options = {
    ...PUBLIC,
    allowedOrigins: ['https://app.example', 'https://dev.example:8443', 'tools.example', 'moz-extension://*'],
  };

  it.each([
    ['https://app.example', 200],
    ['https://app.example:444', 403],
    ['http://app.example', 403],
    ['https://dev.example:8443', 200],
    ['https://dev.example', 403],
    ['http://tools.example:81', 200],
    ['moz-extension://0b8', 200],
    ['https://skills.example', 200],
    ['https://evil.example', 403],
    ['https://app.example.evil.example', 403],
    ['null', 403],
  ])('%s is answered with %i', async (origin, status) => {
    const { url, reasons } = await guarded(options);
    expect((await ask(url, { headers: { origin } })).status).toBe(status);
    expect(reasons).toEqual([status === 200 ? null : 'origin']);
  });

  it('that may ask may read the answers; no other origin may', async () => {
    const { url } = await guarded(options);
    const headersOf = async (origin: string) => (await ask(url, { headers: { origin } })).headers;
    expect(await headersOf('https://app.example')).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      vary: 'Origin',
    });
    for (const origin of ['http://localhost:5173', 'http://tools.example:81', 'moz-extension://0b8'])
      expect(await headersOf(origin)).toMatchObject({ 'access-control-allow-origin': origin });
    expect(await headersOf('https://evil.example')).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('a request of another site that names no origin', () => {
  it.each([
    ['a picture', 403, { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }],
    ['a frame', 403, { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }],
    ['a fetch', 403, { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'empty' }],
    ['a link', 200, { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }],
    ['an address that a person typed', 200, { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }],
    ['a picture of this site', 200, { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' }],
    ['a program', 200, {}],
  ])('%s is answered with %i', async (_, status, headers) => {
    const { url, reasons } = await guarded(PUBLIC);
    expect((await ask(url, { headers: { host: 'localhost', ...headers } })).status).toBe(status);
    expect(reasons).toEqual([status === 200 ? null : 'origin']);
  });
});

describe('headers', () => {
  it.each([
    // Host and Connection are sent too.
    [98, 200],
    [99, 431],
    [500, 431],
  ])('%i of them are answered with %i', async (count, status) => {
    const { url, reasons } = await guarded(PUBLIC);
    const many = Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, '']));
    expect((await ask(url, { headers: { host: 'localhost', ...many } })).status).toBe(status);
    expect(reasons).toEqual([status === 200 ? null : 'headers']);
  });
});
