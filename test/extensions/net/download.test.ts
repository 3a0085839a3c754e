import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { collectBytes, type DownloadOptions, download } from '../../../extensions/net/download.ts';
import { openGuard } from '../../../extensions/net/guarded-fetch.ts';
import { endWithTest } from '../../end-with-test.ts';
import { loopback } from './loopback.ts';

/** Asks a server that answers so. Its body is not read yet. */
async function begun(answer: (response: ServerResponse) => void, more: Partial<DownloadOptions> = {}) {
  const server = await loopback((_, response) => answer(response));
  const guard = openGuard({ privateOrigins: [server.origin] });
  endWithTest(() => guard.close());
  const options = { maxBytes: 1_000, signal: new AbortController().signal, ...more };
  const answered = await download(guard.fetch, new URL(`${server.origin}/a?key=secret`), options);
  return { ...answered, asked: server.requests };
}

async function downloaded(...given: Parameters<typeof begun>) {
  const answered = await begun(...given);
  return { ...answered, text: Buffer.from(await collectBytes(answered)).toString() };
}

/** Sends without end, as fast as it is read. */
function pour(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(10_000)));
  };
  response.on('drain', more);
  more();
}

describe('download', () => {
  it('gives status, headers, final URL and bytes', async () => {
    const { status, headers, url, text } = await downloaded((response) => {
      response.setHeader('etag', '"1"');
      response.end('hello');
    });
    expect([status, headers.get('etag'), url.pathname, text]).toEqual([200, '"1"', '/a', 'hello']);
  });

  it('sends the headers of its caller', async () => {
    const { asked } = await downloaded((response) => response.end(), {
      headers: { authorization: 'Bearer a' },
    });
    expect(asked[0]?.headers.authorization).toBe('Bearer a');
  });

  it('accepts 304, and reports any other status without the URL’s query', async () => {
    expect((await downloaded((response) => response.writeHead(304).end())).text).toBe('');
    for (const [status, advice] of [
      [204, 'Check the address'],
      [401, 'Check the configured headers'],
      [403, 'Check the configured headers'],
      [404, 'Check the address'],
      [500, 'Check the address'],
    ] as const) {
      const work = downloaded((response) => response.writeHead(status).end());
      const message = new RegExp(`/a answers with status ${status}(?!.*secret).*${advice}`);
      await expect(work).rejects.toMatchObject({
        code: 'NET_STATUS',
        data: { status },
        message: expect.stringMatching(message),
      });
    }
  });

  it('reads at most the allowed bytes, announced or not', async () => {
    expect((await downloaded((response) => response.end('x'.repeat(1_000)))).text).toHaveLength(1_000);
    await expect(downloaded((response) => response.end('x'.repeat(1_001)))).rejects.toThrow('1000 bytes');
    await expect(downloaded(pour)).rejects.toMatchObject({
      code: 'NET_TOO_LARGE',
      message: expect.stringContaining('1000 bytes'),
    });
  });

  it.each([
    ['an answer', 200],
    ['a copy that is kept', 304],
  ])('refuses %s that announces too much, before a byte is sent', async (_, status) => {
    const announce = (length: number) => (response: ServerResponse) =>
      void response.writeHead(status, { 'content-length': length }).flushHeaders();
    await expect(begun(announce(1_001))).rejects.toMatchObject({ code: 'NET_TOO_LARGE' });
    expect((await begun(announce(1_000))).status).toBe(status);
  });

  it('closes an answer that its caller stops reading', async () => {
    let isClosed = false;
    const { bytes } = await begun(
      (response) => {
        response.on('close', () => {
          isClosed = true;
        });
        pour(response);
      },
      { maxBytes: 2 ** 30 },
    );
    for await (const chunk of bytes) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await vi.waitFor(() => expect(isClosed).toBe(true), 100_000);
  });

  it('says that the limit is fixed', async () => {
    const announced = (response: ServerResponse) => void response.end('x'.repeat(2_000));
    for (const large of [announced, pour])
      await expect(downloaded(large)).rejects.toThrow(/1000 bytes\. That limit is fixed: /);
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
