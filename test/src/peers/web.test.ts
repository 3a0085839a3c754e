import { describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../../../src/peers/limits.ts';
import { bounded } from '../../../src/peers/web.ts';

const PIECE = new Uint8Array(2 ** 20);

/** An answer of so many MiB, made as it is read. */
function answer(pieces: number): Response {
  let left = pieces;
  return new Response(
    new ReadableStream({
      pull(controller) {
        left -= 1;
        if (left < 0) controller.close();
        else controller.enqueue(PIECE);
      },
    }),
    { status: 201, headers: { 'x-said': 'yes' } },
  );
}

describe('bounded', () => {
  it('leaves an answer of the longest length as it is', async () => {
    const response = await bounded(async () => answer(MAX_MESSAGE_BYTES / PIECE.length))('http://x');
    expect(response.status).toBe(201);
    expect(response.headers.get('x-said')).toBe('yes');
    expect((await response.arrayBuffer()).byteLength).toBe(MAX_MESSAGE_BYTES);
  });

  it('fails one that never ends, once it is too long', async () => {
    const response = await bounded(async () => answer(Number.POSITIVE_INFINITY))('http://x');
    await expect(response.arrayBuffer()).rejects.toMatchObject({ code: 'PEER_FLOOD' });
  });

  it('gives a stream of notifications twice the room', async () => {
    const response = await bounded(async () => answer(40))('http://x', { method: 'GET' });
    expect((await response.arrayBuffer()).byteLength).toBe(40 * PIECE.length);
  });
});
