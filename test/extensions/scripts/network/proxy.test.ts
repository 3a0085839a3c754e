/** The proxy over its Unix socket. A server on loopback stands for every allowed name. */

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type LookupFunction, createServer as listener, Socket } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { NetError } from '../../../../extensions/net/errors.ts';
import {
  DomainProxy,
  forwardedHeaders,
  type ProxyOptions,
} from '../../../../extensions/scripts/network/proxy.ts';
import { publicConnect } from '../../../../extensions/scripts/network/public-connect.ts';
import { endWithTest } from '../../../end-with-test.ts';
import { listening } from '../../../src/serve/stdio/ask.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let web: number;
let seen: { url: string; host: string | undefined; body: string }[];
let dialled: string[];
/** The proxy's connections to the web. */
let upstreams: Socket[];

beforeEach(async () => {
  seen = [];
  dialled = [];
  upstreams = [];
  const { port } = await listening(async (asked, response) => {
    const body = await textOf(asked);
    seen.push({ url: asked.url ?? '', host: asked.headers.host, body });
    if (asked.url === '/moved') response.writeHead(302, { location: 'http://evil.example.com/' });
    if (asked.url === '/large') response.end('x'.repeat(100_000));
    else if (asked.url === '/half') response.write('half of it');
    else response.end(`answer to ${asked.url}`);
  });
  web = port;
});

async function proxyFor(options: Partial<ProxyOptions> = {}) {
  const proxy = new DomainProxy({
    domains: ['example.org', '*.example.net'],
    connect: (host, at) => {
      dialled.push(`${host}:${at}`);
      const upstream = connect(web, '127.0.0.1');
      upstreams.push(upstream);
      return upstream;
    },
    ...options,
  });
  endWithTest(() => proxy.close());
  const path = join(temporaryFolder(), 'socket');
  await proxy.listen(path);
  return { proxy, path };
}

async function textOf(stream: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

/** Sends these bytes and returns everything until the other side ends. */
function raw(path: string, text: string, more?: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk;
    });
    socket.on('error', () => {}).on('close', () => resolve(got));
    socket.write(text);
    more?.(socket);
  });
}

const get = (url: string, extra = '') =>
  `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${extra}\r\n`;
const waitFor = (check: () => void) => vi.waitFor(check, 100_000);
const tunnel = (to: string, inside = '') => `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n${inside}`;

describe('the proxy', () => {
  it('forwards plain requests with their bodies to the requested name', async () => {
    const { proxy, path } = await proxyFor();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = httpRequest({
        socketPath: path,
        method: 'POST',
        path: 'http://a.example.net/p?q',
        headers: { host: 'evil.example.com' },
      });
      asked.on('response', resolve).on('error', reject).end('the body');
    });
    expect([answer.statusCode, await textOf(answer)]).toEqual([200, 'answer to /p?q']);
    expect(seen).toEqual([{ url: '/p?q', host: 'a.example.net', body: 'the body' }]);
    expect(dialled).toEqual(['a.example.net:80']);
    expect(proxy.traffic()).toEqual({ reached: ['a.example.net'], refused: [] });
  });

  it('tunnels, including bytes sent before the tunnel was open', async () => {
    const { proxy, path } = await proxyFor();
    const answer = await raw(path, tunnel('Example.ORG.:443', get('/in')));
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*answer to \/in$/);
    expect(dialled).toEqual(['example.org:443']);
    expect(proxy.traffic().reached).toEqual(['example.org']);
  });

  it.each([
    ['another domain', 'evil.example.com:443'],
    ['a domain that ends like one', 'badexample.org:443'],
    ['the domain above a star', 'example.net:443'],
    ['an address', '127.0.0.1:443'],
    ['the metadata address', '169.254.169.254:80'],
    ['an IPv6 address', '[::1]:443'],
    ['an address in other clothes', '0x7f000001:443'],
    ['a user in front', 'example.org@evil.example.com:443'],
    ['a user behind', 'evil.example.com@example.org:443'],
    ['another port', 'example.org:22'],
    ['no port', 'example.org'],
    ['something after the port', 'example.org:443x'],
    ['two dots', 'example.org..:443'],
    ['an escape', 'example%2eorg:443'],
  ])('refuses %s, by tunnel and in plain, connects to nobody and tells of it', async (_, to) => {
    const { proxy, path } = await proxyFor();
    expect(await raw(path, tunnel(to))).toMatch(/^HTTP\/1\.1 40[03] /);
    if (to.includes(':')) expect(await raw(path, get(`http://${to}/`))).toMatch(/^HTTP\/1\.1 403 /);
    expect(dialled).toEqual([]);
    expect(proxy.traffic().reached).toEqual([]);
    for (const { domain, reason } of proxy.traffic().refused) expect(`${domain} ${reason}`).not.toBe(' ');
  });

  it.each([
    ['no name', '127.0.0.1:443', '127.0.0.1:443', 'it is not a domain name with a port'],
    ['another name', 'Evil.example.com:443', 'evil.example.com', 'it is not among the allowed domains'],
    ['another port', 'example.org:22', 'example.org:22', 'only ports 80 and 443 are open'],
  ])('says why, to the client and in its report: %s', async (_, to, domain, reason) => {
    const { proxy, path } = await proxyFor();
    for (const asked of [tunnel(to), get(`http://${to}/`)])
      expect(await raw(path, asked)).toContain(`${domain} was refused: ${reason}.`);
    expect(proxy.traffic().refused).toEqual([{ domain, reason }]);
  });

  it('ignores everything after a refused tunnel request', async () => {
    const { path } = await proxyFor();
    const answer = await raw(path, tunnel('evil.example.com:443', get('http://example.org/smuggled')));
    expect(answer.match(/HTTP\/1\.1/g)).toEqual(['HTTP/1.1']);
    expect(seen).toEqual([]);
  });

  it('refuses a request with two lengths, and any address but http://', async () => {
    const { proxy, path } = await proxyFor();
    const both = 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n';
    expect(await raw(path, `${get('http://example.org/', both)}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    for (const url of ['/', 'https://example.org/', 'file:///etc/passwd'])
      expect(await raw(path, get(url))).toMatch(/^HTTP\/1\.1 400 /);
    expect(seen).toEqual([]);
    expect(proxy.traffic().refused).toContainEqual({
      domain: 'https://example.org/',
      reason: 'it is not an http:// address',
    });
  });

  it('answers a refused request in plain text, and closes the connection', async () => {
    const { path } = await proxyFor();
    const answer = await raw(path, 'GET http://evil.example.com/ HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(answer).toMatch(/^content-type: text\/plain\r$/im);
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  it('forwards to the other open port, and names it to the server', async () => {
    const { path } = await proxyFor();
    expect(await raw(path, get('http://example.org:443/in'))).toContain('answer to /in');
    expect([dialled, seen[0]?.host]).toEqual([['example.org:443'], 'example.org:443']);
  });

  it('reports the names that were reached in order', async () => {
    const { proxy, path } = await proxyFor();
    for (const name of ['example.org', 'b.example.net', 'a.example.net'])
      await raw(path, get(`http://${name}/`));
    expect(proxy.traffic().reached).toEqual(['a.example.net', 'b.example.net', 'example.org']);
  });

  it('does not follow redirects: the client’s next request is refused', async () => {
    const { proxy, path } = await proxyFor();
    expect(await raw(path, get('http://example.org/moved'))).toContain('location: http://evil.example.com/');
    expect(await raw(path, get('http://evil.example.com/'))).toMatch(/^HTTP\/1\.1 403 /);
    expect(proxy.traffic()).toEqual({
      reached: ['example.org'],
      refused: [{ domain: 'evil.example.com', reason: 'it is not among the allowed domains' }],
    });
  });

  it('refuses an allowed name whose address is private', async () => {
    const inward: LookupFunction = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    const { proxy, path } = await proxyFor({ connect: publicConnect(inward) });
    expect(await raw(path, tunnel('example.org:443'))).toMatch(/^HTTP\/1\.1 403 /);
    expect(await raw(path, get('http://example.org/'))).toMatch(/^HTTP\/1\.1 403 /);
    expect(proxy.traffic()).toEqual({
      reached: [],
      refused: [{ domain: 'example.org', reason: 'its address is not public' }],
    });
  });

  it('reports a server that cannot be reached, but not as a refusal', async () => {
    const late = new NetError('NET_UNREACHABLE', 'It does not answer.');
    const noAnswer = () => {
      const socket = new Socket();
      setImmediate(() => socket.destroy(late));
      return socket;
    };
    for (const failed of [() => connect(join(temporaryFolder(), 'nobody')), noAnswer]) {
      const { proxy, path } = await proxyFor({ connect: failed });
      for (const asked of [tunnel('example.org:443'), get('http://example.org/')])
        expect(await raw(path, asked)).toMatch(/^HTTP\/1\.1 502 [\s\S]*\nexample\.org cannot be reached\.\n/);
      expect(proxy.traffic()).toEqual({ reached: [], refused: [] });
    }
  });

  it('cannot listen where there is no folder', async () => {
    const proxy = new DomainProxy({ domains: [] });
    await expect(proxy.listen(join(temporaryFolder(), 'none/socket'))).rejects.toThrow('none/socket');
  });

  it.each([
    ['fails', new Error('reset')],
    ['ends', undefined],
  ])('ends a tunnel whose server %s, and adds nothing to what it sent', async (_, error) => {
    const { proxy, path } = await proxyFor();
    const answer = raw(path, tunnel('example.org:443'));
    await waitFor(() => expect(proxy.traffic().reached).toEqual(['example.org']));
    upstreams[0]?.destroy(error);
    expect(await answer).toBe('HTTP/1.1 200 Connection established\r\n\r\n');
  });

  it.each([
    ['fails', new Error('reset')],
    ['ends', undefined],
  ])('breaks off an answer whose server %s', async (_, error) => {
    const { path } = await proxyFor();
    const answer = raw(path, get('http://example.org/half'), (socket) =>
      socket.on('data', (chunk) => {
        if (String(chunk).includes('half of it')) upstreams[0]?.destroy(error);
      }),
    );
    // Without the last chunk, so that the client does not take it for the whole.
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*half of it\r\n$/);
  });

  it('ends a request whose client has gone', async () => {
    const { path } = await proxyFor();
    await raw(path, get('http://example.org/half'), (socket) => socket.on('data', () => socket.destroy()));
    await waitFor(() => expect(upstreams.map(({ destroyed }) => destroyed)).toEqual([true]));
  });

  it('accepts no giant head, and does not wait for a slow one', async () => {
    const { path } = await proxyFor();
    expect(await raw(path, get('http://example.org/', `X: ${'x'.repeat(20_000)}\r\n`))).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    const { path: hasty } = await proxyFor({ limits: { headMs: 50 } });
    expect(await raw(hasty, 'GET http://example.org/ HTTP/1.1\r\nX: ')).toMatch(/^HTTP\/1\.1 408 /);
    expect(seen).toEqual([]);
  });

  it('ends idle tunnels, on both sides', async () => {
    const { path } = await proxyFor({ limits: { idleMs: 50 } });
    expect(await raw(path, tunnel('example.org:443'))).toMatch(/^HTTP\/1\.1 200 /);
    await waitFor(() => expect(upstreams.map(({ destroyed }) => destroyed)).toEqual([true]));
  });

  it('lets exactly as many bytes through as allowed, in both directions together', async () => {
    const echo = listener((socket) => socket.on('error', () => {}).pipe(socket));
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    const { port } = echo.address() as AddressInfo;
    for (const [bytes, refused] of [
      [1_000, []],
      [999, [{ domain: '*', reason: 'more than 999 bytes went through' }]],
    ] as const) {
      const { proxy, path } = await proxyFor({
        limits: { bytes },
        connect: () => connect(port, '127.0.0.1'),
      });
      const answer = await raw(path, tunnel('example.org:443', 'x'.repeat(500)), (socket) => {
        let got = 0;
        socket.on('data', (chunk) => {
          got += chunk.toString().split('x').length - 1;
          if (got === 500) socket.end();
        });
      });
      expect(answer.endsWith('x'.repeat(500))).toBe(refused.length === 0);
      expect(proxy.traffic().refused).toEqual(refused);
    }
    await new Promise((resolve) => echo.close(resolve));
  });

  it('limits connections in total, and allows the last of them', async () => {
    const { path } = await proxyFor({ limits: { allConnections: 2 } });
    const answers = [];
    for (let at = 0; at < 3; at++) answers.push(await raw(path, get('http://example.org/')));
    expect(answers.map((answer) => answer.includes('answer to /'))).toEqual([true, true, false]);
  });

  it('limits connections at a time and in total', async () => {
    const { proxy, path } = await proxyFor({ limits: { connections: 3, allConnections: 10 } });
    const held = Array.from({ length: 3 }, () => connect(path).on('error', () => {}));
    await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    expect(await raw(path, get('http://example.org/'))).toBe('');
    for (const socket of held) socket.destroy();
    await vi.waitFor(async () => expect(await raw(path, get('http://example.org/'))).toContain('answer'));
    for (let at = 0; at < 20; at++) await raw(path, get('http://example.org/'));
    expect(await raw(path, get('http://example.org/'))).toBe('');
    expect(proxy.traffic().refused.map(({ reason }) => reason)).toEqual([
      'more than 3 connections were open at a time',
      'more than 10 connections were made',
    ]);
  });

  it('reports at most fifty refusals', async () => {
    const { proxy, path } = await proxyFor();
    for (let at = 0; at < 60; at++) await raw(path, tunnel(`evil${at}.example.com:443`));
    expect(proxy.traffic().refused.length).toBe(50);
  });

  it('reports the beginning of a long name', async () => {
    const { proxy, path } = await proxyFor();
    await raw(path, get(`http://${'x'.repeat(500)}/`));
    expect(proxy.traffic().refused.map(({ domain }) => domain)).toEqual(['x'.repeat(100)]);
  });

  it('ends every connection on close', async () => {
    const { proxy, path } = await proxyFor();
    const waiting = raw(path, tunnel('example.org:443'));
    await vi.waitFor(() => expect(proxy.traffic().reached).toEqual(['example.org']));
    await proxy.close();
    expect(await waiting).toMatch(/^HTTP\/1\.1 200 /);
    expect(await raw(path, get('http://example.org/'))).toBe('');
  });
});

describe('forwardedHeaders', () => {
  it('sets the host that was checked, whatever the client sent', () => {
    expect(forwardedHeaders({ host: 'evil.org', accept: 'x' }, 'a.org')).toEqual({
      host: 'a.org',
      accept: 'x',
      connection: 'close',
    });
  });

  it('drops hop-by-hop headers, and keeps the framing of the body', () => {
    const headers = {
      connection: 'x-own, Transfer-Encoding,Content-Length',
      'x-own': '1',
      'proxy-authorization': 'Basic x',
      upgrade: 'h2c',
      te: 'trailers',
      'transfer-encoding': 'chunked',
      'content-length': '5',
    };
    expect(forwardedHeaders(headers, null)).toEqual({
      'transfer-encoding': 'chunked',
      'content-length': '5',
      connection: 'close',
    });
  });

  it('sends no host back with an answer', () => {
    expect(forwardedHeaders({ host: 'inside.example' }, null)).toEqual({ connection: 'close' });
  });
});
