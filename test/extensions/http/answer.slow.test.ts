/** Sending answers: complete or not at all, within a size, to clients that read. */

import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Refusal, type SendLimits, send } from '../../../extensions/http/answer.ts';
import { ask, listening } from '../../src/serve/stdio/ask.ts';

/** Sends the given response, and records the admitted bytes, or the failure. */
async function sending(from: () => Response, limits: SendLimits) {
  let settle: (outcome: unknown) => void = () => {};
  const outcome = new Promise<unknown>((resolve) => {
    settle = resolve;
  });
  const { url, port } = await listening((_, response) => {
    let bytes = 0;
    const admit = async (count: number) => {
      bytes += count;
    };
    const sent = send(from(), response, { admit, ...limits });
    sent.then(
      () => settle(bytes),
      (error: unknown) => {
        settle(error);
        if (response.headersSent) response.end('too long');
        else response.writeHead(500).end('too long');
      },
    );
  });
  return { url, port, outcome };
}

const stream = (chunks: readonly string[]) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        controller.close();
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  );

describe('send', () => {
  it('sends status, headers and body, with the length, and counts the bytes', async () => {
    const { url, outcome } = await sending(
      () => Response.json({ text: 'ä' }, { status: 418, headers: { 'x-one': '1' } }),
      { maxBytes: 100, headers: { 'x-two': '2' } },
    );
    const answer = await ask(url);
    expect(answer).toMatchObject({ status: 418, text: '{"text":"ä"}' });
    expect(answer.headers).toMatchObject({ 'x-one': '1', 'x-two': '2', 'content-length': '13' });
    expect(await outcome).toBe(13);
  });

  it('sends megabytes completely', async () => {
    const text = 'x'.repeat(5_000_000);
    const { url } = await sending(() => new Response(text), { maxBytes: 10_000_000 });
    expect((await ask(url)).text).toBe(text);
  });

  it('sends nothing of a too large answer, so that an error can be sent', async () => {
    const { url, outcome } = await sending(() => new Response('x'.repeat(101)), { maxBytes: 100 });
    expect(await ask(url)).toMatchObject({ status: 500, text: 'too long' });
    expect(await outcome).toBeInstanceOf(Refusal);
  });

  it('forwards a stream, and stops before the chunk that makes it too large', async () => {
    const short = await sending(() => stream(['data: 1\n\n', 'data: 2\n\n']), { maxBytes: 100 });
    expect((await ask(short.url)).text).toBe('data: 1\n\ndata: 2\n\n');
    expect(await short.outcome).toBe(18);
    const long = await sending(() => stream(['x'.repeat(60), 'x'.repeat(60)]), { maxBytes: 100 });
    expect((await ask(long.url)).text).toBe(`${'x'.repeat(60)}too long`);
    expect(await long.outcome).toBeInstanceOf(Refusal);
  });

  it('closes the connection of a stream where its client asks for that', async () => {
    const from = stream(['data: 1\n\n']);
    from.headers.set('connection', 'keep-alive');
    const { url } = await sending(() => from, { maxBytes: 100 });
    const { headers } = await fetch(url, { headers: { connection: 'close' } });
    expect(headers.get('connection')).toBe('close');
  });

  it('disconnects a client that does not read', async () => {
    const { port, outcome } = await sending(() => new Response('x'.repeat(50_000_000)), {
      maxBytes: 100_000_000,
      stallMs: 50,
    });
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await outcome).toBe(50_000_000);
  });

  it('disconnects a client that does not read the end of a short answer', async () => {
    // Takes a little, and never says that it was sent.
    const wire = new Duplex({ read() {}, write() {} });
    const response = new ServerResponse(new IncomingMessage(wire as Socket));
    response.assignSocket(wire as Socket);
    await send(new Response('{}'), response, { maxBytes: 100, stallMs: 50 });
    await expect.poll(() => wire.destroyed).toBe(true);
  });

  it('sends nothing of an answer, and no more of a stream, that is not admitted', async () => {
    const refused = new Refusal('rate-bytes', 429, 'too many');
    const admit = async (bytes: number) => {
      if (bytes > 50) throw refused;
    };
    const whole = await sending(() => new Response('x'.repeat(51)), { maxBytes: 100, admit });
    expect(await ask(whole.url)).toMatchObject({ status: 500, text: 'too long' });
    expect(await whole.outcome).toBe(refused);
    const part = await sending(() => stream(['x'.repeat(50), 'y'.repeat(51)]), { maxBytes: 200, admit });
    expect((await ask(part.url)).text).toBe(`${'x'.repeat(50)}too long`);
  });

  it('cancels a stream at once when its client disconnects', async () => {
    let cancelled: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    const endless = () =>
      new Response(new ReadableStream<Uint8Array>({ cancel: () => cancelled() }), {
        headers: { 'content-type': 'text/event-stream' },
      });
    const { port } = await sending(endless, { maxBytes: 100 });
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    await ended;
  });
});
