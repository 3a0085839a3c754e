import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { bytesOf, type DownloadOptions, download } from '../../../src/net/download.ts';
import { type Guard, openGuard } from '../../../src/net/guarded-fetch.ts';
import { loopback } from './loopback.ts';

const guards: Guard[] = [];

afterEach(async () => {
  for (const guard of guards.splice(0)) await guard.close();
});

async function downloaded(answer: (response: ServerResponse) => void, more: Partial<DownloadOptions> = {}) {
  const server = await loopback((_, response) => answer(response));
  const guard = openGuard({ privateOrigins: [server.origin] });
  guards.push(guard);
  const options = { maxBytes: 1_000, signal: new AbortController().signal, ...more };
  const answered = await download(guard.fetch, new URL(`${server.origin}/a?key=secret`), options);
  return { ...answered, text: Buffer.from(await bytesOf(answered)).toString() };
}

describe('download', () => {
  it('gives status, headers, final URL and bytes', async () => {
    const { status, headers, url, text } = await downloaded((response) => {
      response.setHeader('etag', '"1"');
      response.end('hello');
    });
    expect([status, headers.get('etag'), url.pathname, text]).toEqual([200, '"1"', '/a', 'hello']);
  });

  it('accepts 304, and reports any other status without the URL’s query', async () => {
    expect((await downloaded((response) => response.writeHead(304).end())).text).toBe('');
    for (const status of [204, 404, 500]) {
      const work = downloaded((response) => response.writeHead(status).end());
      await expect(work).rejects.toThrow(new RegExp(`/a answers with status ${status}(?!.*secret)`));
    }
    await expect(downloaded((response) => response.writeHead(403).end())).rejects.toThrow('headers');
  });

  it('reads at most the allowed bytes, announced or not', async () => {
    expect((await downloaded((response) => response.end('x'.repeat(1_000)))).text).toHaveLength(1_000);
    await expect(downloaded((response) => response.end('x'.repeat(1_001)))).rejects.toThrow('1000 bytes');
    const pour = (response: ServerResponse) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    };
    await expect(downloaded(pour)).rejects.toThrow('1000 bytes');
  });

  it('names a setting only where a larger answer would be read', async () => {
    const large = (response: ServerResponse) => void response.end('x'.repeat(2_000));
    await expect(downloaded(large)).rejects.toThrow(/1000 bytes\. That limit is fixed: /);
    await expect(downloaded(large, { setting: 'maxBytes' })).rejects.toThrow(
      /1000 bytes\. Raise maxBytes\.$/,
    );
  });

  it('counts the decoded bytes of an encoded answer', async () => {
    const send = (bytes: Buffer) => (response: ServerResponse) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
    expect((await downloaded(send(gzipSync('hello')))).text).toBe('hello');
    const bomb = gzipSync(Buffer.alloc(50 * 2 ** 20));
    await expect(downloaded(send(bomb), { maxBytes: 2 ** 20 })).rejects.toThrow('1048576 bytes');
    const twice = (response: ServerResponse) =>
      void response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(bomb));
    await expect(downloaded(twice, { maxBytes: 2 ** 20 })).rejects.toThrow('1048576 bytes');
  });

  it('reports an interrupted answer', async () => {
    const work = downloaded((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('x', () => response.destroy());
    });
    await expect(work).rejects.toMatchObject({ code: 'NET_UNREACHABLE' });
  });

  it('gives up on an answer that is too slow', async () => {
    let timer: NodeJS.Timeout | undefined;
    const drip = (response: ServerResponse) => {
      timer = setInterval(() => response.write('x'), 20);
    };
    const work = downloaded(drip, { slow: { afterMs: 200, bytesPerSecond: 10_000 } });
    await expect(work).rejects.toMatchObject({ code: 'NET_SLOW' });
    clearInterval(timer);
  });

  it('rejects with the reason of its signal', async () => {
    const stop = new AbortController();
    const work = downloaded((response) => void response.write('x', () => stop.abort(new Error('enough'))), {
      signal: stop.signal,
    });
    await expect(work).rejects.toThrow('enough');
  });
});
