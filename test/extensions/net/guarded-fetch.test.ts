import type { LookupFunction } from 'node:net';
import { request } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import {
  type Guard,
  type GuardOptions,
  isPublicAddress,
  openGuard,
  permit,
  publicLookup,
} from '../../../extensions/net/guarded-fetch.ts';
import { endWithTest } from '../../end-with-test.ts';
import { loopback } from './loopback.ts';

function open(options: Partial<GuardOptions> = {}): Guard {
  const guard = openGuard({ privateOrigins: [], ...options });
  endWithTest(() => guard.close());
  return guard;
}

/** A DNS lookup that gives these answers in turn, and then the last one for ever. */
function names(...answers: string[][]): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, options, callback) => {
    asked.push(hostname);
    const addresses = answers.length > 1 ? answers.shift()! : answers[0]!;
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all === true) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  };
  return { lookup, asked };
}

const codeOf = async (work: Promise<unknown>) =>
  await work.then(
    () => 'fetched',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : String(error)),
  );

describe('openGuard', () => {
  it('refuses private addresses in any notation', async () => {
    const server = await loopback();
    const { fetch } = open();
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
    ]) {
      expect(await codeOf(fetch(`https://${host}:${server.port}/`))).toBe('NET_REFUSED');
    }
    expect(server.requests).toEqual([]);
  });

  it('refuses plain HTTP, and URLs with a user', async () => {
    const { fetch } = open();
    for (const url of ['http://example.org/', 'ftp://example.org/', 'file:///etc/passwd', 'data:,x']) {
      expect(await codeOf(fetch(url))).toBe('NET_REFUSED');
    }
    await expect(fetch('https://user:secret@example.org/')).rejects.toThrow(/^(?!.*secret).*header/);
  });

  it('refuses a name that resolves to a private address', async () => {
    const { lookup, asked } = names(['127.0.0.1'], ['10.0.0.1', '::1']);
    const { fetch } = open({ lookup });
    expect(await codeOf(fetch('https://inside.example/'))).toBe('NET_REFUSED');
    expect(await codeOf(fetch('https://inside.example/'))).toBe('NET_REFUSED');
    expect(asked).toEqual(['inside.example', 'inside.example']);
  });

  it('allows a configured private origin, and no other port or host', async () => {
    const [server, other] = [await loopback(), await loopback()];
    const { fetch } = open({ privateOrigins: [server.origin] });
    expect(await (await fetch(`${server.origin}/x`)).text()).toBe('hello');
    expect(await codeOf(fetch(other.origin))).toBe('NET_REFUSED');
    expect(await codeOf(fetch(`http://localhost:${server.port}/`))).toBe('NET_REFUSED');
    expect(other.requests).toEqual([]);
  });

  it('asks its DNS lookup for a configured name, which may be private', async () => {
    const server = await loopback();
    const origin = `http://inside.example:${server.port}`;
    const { lookup, asked } = names(['127.0.0.1']);
    const { fetch } = open({ privateOrigins: [origin], lookup });
    expect(await (await fetch(`${origin}/x`)).text()).toBe('hello');
    expect(asked).toEqual(['inside.example']);
  });

  it('sends text, and nothing that it could not send again', async () => {
    const server = await loopback();
    const { fetch } = open({ privateOrigins: [server.origin] });
    for (const body of [new ReadableStream(), new Uint8Array(1), new URLSearchParams('a=b')]) {
      await expect(fetch(server.origin, { method: 'POST', body })).rejects.toThrow('text only');
    }
    expect(server.requests).toEqual([]);
    for (const body of ['x', null]) {
      expect((await fetch(server.origin, { method: 'POST', body })).status).toBe(200);
    }
  });

  it('ends its requests when it is closed', async () => {
    const server = await loopback();
    server.mood = 'silent';
    const { fetch, close } = open({ privateOrigins: [server.origin] });
    const answer = codeOf(fetch(server.origin));
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), 100_000);
    await close();
    expect(await answer).toBe('NET_UNREACHABLE');
  });

  it('checks connections of other clients through its dispatcher', async () => {
    const server = await loopback();
    await expect(request(server.origin, { dispatcher: open().dispatcher })).rejects.toThrow(
      'private address',
    );
    const { dispatcher } = open({ privateOrigins: [server.origin] });
    expect((await request(server.origin, { dispatcher })).statusCode).toBe(200);
  });

  it('names the host that cannot be reached', async () => {
    const server = await loopback();
    const { fetch } = open({ privateOrigins: [server.origin] });
    await server.close();
    await expect(fetch(`${server.origin}/a?token=secret`)).rejects.toThrow(
      new RegExp(`^${server.origin}/a cannot be reached: (?!.*secret)`),
    );
  });

  it('rejects with the reason of its signal', async () => {
    const server = await loopback();
    server.mood = 'silent';
    const { fetch } = open({ privateOrigins: [server.origin] });
    const stop = new AbortController();
    const answer = fetch(server.origin, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 30);
    await expect(answer).rejects.toThrow('enough');
  });

  describe('given redirects', () => {
    it('follows five and no more', async () => {
      const server = await loopback((message, response) => {
        const left = Number(message.url?.slice(1));
        if (left === 0) response.end('there');
        else response.writeHead(302, { location: `/${left - 1}` }).end();
      });
      const { fetch } = open({ privateOrigins: [server.origin] });
      const answer = await fetch(`${server.origin}/5`);
      expect([await answer.text(), new URL(answer.url).pathname]).toEqual(['there', '/0']);
      expect(await codeOf(fetch(`${server.origin}/6`))).toBe('NET_REFUSED');
    });

    it('follows none to a private address or an invalid URL', async () => {
      const inside = await loopback();
      for (const location of [
        inside.origin,
        'https://127.0.0.1/',
        'https://169.254.169.254/',
        'file:///etc',
        'http://[',
      ]) {
        const server = await loopback((_, response) => response.writeHead(307, { location }).end());
        const { fetch } = open({ privateOrigins: [server.origin] });
        expect(await codeOf(fetch(server.origin))).toBe('NET_REFUSED');
      }
      expect(inside.requests).toEqual([]);
    });

    it.each([
      ['too many', '/again', '5 times'],
      ['one without a URL', 'http://[', 'not a URL'],
    ])('says what is wrong with them: %s', async (_, location, says) => {
      const server = await loopback((__, response) => response.writeHead(302, { location }).end());
      const { fetch } = open({ privateOrigins: [server.origin] });
      await expect(fetch(`${server.origin}/a?key=secret`)).rejects.toMatchObject({
        code: 'NET_REFUSED',
        message: expect.stringMatching(new RegExp(`^${server.origin}/(a|again) (?!.*secret).*${says}`)),
      });
    });

    it.each([
      ['a status that is no redirect', 201, { location: '/x' }],
      ['a redirect to nowhere', 302, {}],
    ])('returns an answer with %s as it is', async (_, status, headers) => {
      const server = await loopback((__, response) => response.writeHead(status, headers).end());
      const { fetch } = open({ privateOrigins: [server.origin] });
      expect((await fetch(server.origin)).status).toBe(status);
      expect(server.requests).toHaveLength(1);
    });

    it('keeps the caller’s headers within the origin', async () => {
      const second = await loopback((message, response) => {
        if (message.url === '/back') response.writeHead(302, { location: `${first.origin}/end` }).end();
        else response.end();
      });
      const first = await loopback((message, response) => {
        if (message.url === '/stay') response.writeHead(302, { location: '/end' }).end();
        else if (message.url === '/leave')
          response.writeHead(302, { location: `${second.origin}/back` }).end();
        else response.end();
      });
      const { fetch } = open({ privateOrigins: [first.origin, second.origin] });
      const headers = { authorization: 'Bearer a', cookie: 'b', 'x-api-key': 'c', accept: 'text/plain' };
      const sent = (message: { headers: Record<string, unknown> } | undefined) =>
        Object.keys(headers).filter(
          (name) => message?.headers[name] !== undefined && message.headers[name] !== '*/*',
        );
      await fetch(`${first.origin}/stay`, { headers });
      expect(first.requests.map(sent)).toEqual([Object.keys(headers), Object.keys(headers)]);
      await fetch(`${first.origin}/leave`, { headers });
      expect(sent(second.requests[0])).toEqual(['accept']);
      // After leaving the origin it stays without headers, even if it is sent back: another server chose the URL.
      expect(sent(first.requests.at(-1))).toEqual(['accept']);
    });

    it('repeats method and body only for the statuses that say so', async () => {
      const seen: string[] = [];
      const server = await loopback(async (message, response) => {
        let body = '';
        for await (const piece of message) body += String(piece);
        const { accept, 'content-type': type } = message.headers;
        seen.push([message.method, accept, type, body].join(' ').trim());
        const status = Number(message.url?.slice(1));
        if (status > 0) response.writeHead(status, { location: '/0' }).end();
        else response.end();
      });
      const { fetch } = open({ privateOrigins: [server.origin] });
      const headers = { accept: 'a/a', 'content-type': 'b/b' };
      const repeated = async (method: string, body: string | null) => {
        seen.splice(0);
        for (const status of [301, 302, 303, 307, 308])
          await fetch(`${server.origin}/${status}`, { method, body, headers });
        return seen.filter((_, at) => at % 2 === 1);
      };
      const [get, post, put] = ['GET a/a', 'POST a/a b/b x', 'PUT a/a b/b x'];
      expect(await repeated('POST', 'x')).toEqual([get, get, get, post, post]);
      expect(await repeated('PUT', 'x')).toEqual([put, put, get, put, put]);
      expect(await repeated('HEAD', null)).toEqual(Array(5).fill('HEAD a/a b/b'));
    });

    it('follows none if the caller forbids it', async () => {
      const server = await loopback((message, response) => {
        if (message.url === '/x') response.end();
        else response.writeHead(302, { location: '/x' }).end();
      });
      const { fetch } = open({ privateOrigins: [server.origin] });
      await expect(fetch(server.origin, { redirect: 'error' })).rejects.toMatchObject({
        code: 'NET_REFUSED',
        message: expect.stringContaining('redirects'),
      });
      expect((await fetch(server.origin, { redirect: 'manual' })).status).toBe(302);
      expect(server.requests.map(({ path }) => path)).toEqual(['/', '/']);
    });
  });
});

describe('permit', () => {
  const trusted = new Set(['http://10.0.0.5:8080', 'https://inside.example']);

  it.each(['http://example.org/', 'https://10.0.0.1/'])('says of %s what allows it', (url) => {
    expect(() => permit(new URL(url), new Set())).toThrow('or set allowPrivate.');
    // It is set already: the origin is another one.
    expect(() => permit(new URL(url), trusted)).toThrow('http://10.0.0.5:8080, https://inside.example.');
    expect(() => permit(new URL(url), trusted)).not.toThrow('or set allowPrivate');
  });
});

describe('publicLookup', () => {
  it('gives the socket only public addresses, from one DNS answer', () => {
    const { lookup, asked } = names(['127.0.0.1', '8.8.8.8', 'fd00::1', '2606:4700::1111'], ['127.0.0.1']);
    const given: unknown[] = [];
    publicLookup(lookup)('mixed.example', { all: true }, (error, found) => given.push(error, found));
    expect(given).toEqual([
      null,
      [
        { address: '8.8.8.8', family: 4 },
        { address: '2606:4700::1111', family: 6 },
      ],
    ]);
    expect(asked).toEqual(['mixed.example']);
  });

  it('gives one address on request', () => {
    const given: unknown[] = [];
    publicLookup(names(['10.0.0.1', '8.8.8.8']).lookup)('mixed.example', {}, (...all) => given.push(...all));
    expect(given).toEqual([null, '8.8.8.8', 4]);
  });

  it('takes a single answer as well, with its family', () => {
    const single =
      (address: string): LookupFunction =>
      (_, __, callback) =>
        callback(null, address, 6);
    const given: unknown[] = [];
    publicLookup(single('2606:4700::1111'))('one.example', { all: true }, (...all) => given.push(...all));
    expect(given).toEqual([null, [{ address: '2606:4700::1111', family: 6 }]]);
    publicLookup(single('::1'))('one.example', { all: true }, (error) => given.push(error?.message));
    expect(given.at(-1)).toContain('one.example is a private address');
  });

  it('passes on that there is no such name, and gives no address with a failure', () => {
    const missing: LookupFunction = (_, __, callback) =>
      callback(new Error('ENOTFOUND'), [{ address: '10.0.0.1', family: 4 }]);
    for (const [lookup, says] of [
      [missing, 'ENOTFOUND'],
      [names(['10.0.0.1']).lookup, 'private address'],
    ] as const) {
      publicLookup(lookup)('gone.example', { all: true }, (error, found) => {
        expect(error?.message).toContain(says);
        expect(found).toEqual([]);
      });
    }
    expect.assertions(4);
  });
});

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001:80b::200e', '::ffff:8.8.8.8'])(
    'treats %s as public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ['loopback', '127.0.0.1', '127.8.8.8', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '192.168.1.1'],
    ['shared by a carrier', '100.64.0.1', '100.100.100.200'],
    ['link-local, with the metadata of clouds', '169.254.169.254', 'fe80::1', 'fe80::1%eth0'],
    ['unique local', 'fc00::1', 'fd00:ec2::254'],
    ['a host’s own service', '168.63.129.16'],
    ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
    ['broadcast and multicast', '255.255.255.255', '224.0.0.1', 'ff02::1'],
    ['reserved or for documents', '192.0.0.192', '192.0.2.1', '198.18.0.1', '240.0.0.1', '2001:db8::1'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1', '::ffff:a00:1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ['IPv4 behind a translator', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1'],
    ['in IPv6 space that nobody has', '4000::1', '5f00::1', 'e000::1'],
    ['no address', '', 'localhost', '127.1.1', '0x7f.0.0.1x', '1.2.3.4.5'],
  ])('does not where it is %s', (_, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});
