import { describe, expect, it } from 'vitest';
import { withSizeLimit } from '../../../../extensions/remote-sources/upstream/session.ts';
import { MAX_MESSAGE_BYTES } from '../../../../extensions/remote-sources/upstream/stdio.ts';

const PIECE = new Uint8Array(2 ** 20);

/** An answer of this many MiB, generated as it is read. */
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

describe('withSizeLimit', () => {
  it('passes an answer of the maximum length', async () => {
    const response = await withSizeLimit(async () => answer(MAX_MESSAGE_BYTES / PIECE.length))('http://x');
    expect(response.status).toBe(201);
    expect(response.headers.get('x-said')).toBe('yes');
    expect((await response.arrayBuffer()).byteLength).toBe(MAX_MESSAGE_BYTES);
  });

  it('fails an endless answer once it is too long', async () => {
    const response = await withSizeLimit(async () => answer(Number.POSITIVE_INFINITY))('http://x');
    await expect(response.arrayBuffer()).rejects.toMatchObject({ code: 'UPSTREAM_FLOOD' });
  });

  it('allows a notification stream twice as many bytes', async () => {
    const response = await withSizeLimit(async () => answer(40))('http://x', { method: 'GET' });
    expect((await response.arrayBuffer()).byteLength).toBe(40 * PIECE.length);
  });
});
