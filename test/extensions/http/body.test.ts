/** Reading bodies: complete or not at all. */

import { request as httpRequest } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  asksFor,
  type Body,
  cancelledIdsIn,
  cancelsItself,
  MAX_LEVELS,
  messagesIn,
  readBody,
  readRequestId,
  requestIdsIn,
} from '../../../extensions/http/body.ts';
import { ask, listening } from '../../src/serve/stdio/ask.ts';

async function reading(maxBytes: number) {
  const { url } = await listening((request, response) => {
    readBody(request, maxBytes).then(
      (body) => response.writeHead(200, { connection: 'close' }).end(JSON.stringify(body)),
      () => response.destroy(),
    );
  });
  return url;
}

const body = (text: string): Body => ({ text, json: JSON.parse(text), bytes: text.length });

describe('readBody', () => {
  it('returns text, JSON and size', async () => {
    const url = await reading(100);
    const read = async (sent: string) => JSON.parse((await ask(url, { method: 'POST', body: sent })).text);
    expect(await read('{"a":"ä"}')).toEqual({ text: '{"a":"ä"}', json: { a: 'ä' }, bytes: 10 });
    expect(await read('{')).toEqual({ text: '{', bytes: 1 });
    expect(await read('')).toEqual({ text: '', bytes: 0 });
  });

  it('refuses a too large content-length unread, and stops reading at the limit', async () => {
    const url = await reading(100);
    expect((await ask(url, { method: 'POST', body: 'x'.repeat(101) })).text).toBe('null');
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = httpRequest(url, { method: 'POST' }, (response) => {
        response.setEncoding('utf8').on('data', resolve);
      });
      sent.on('error', reject);
      // Chunked, so without a content-length; it never ends.
      sent.write('x'.repeat(60));
      sent.write('x'.repeat(60));
      onTestFinished(() => void sent.destroy());
    });
    expect(answer).toBe('null');
  });
});

describe('a deeply nested body', () => {
  it('is not read beyond a hundred levels', async () => {
    const url = await reading(10_000);
    const isRead = async (sent: string) =>
      'json' in JSON.parse((await ask(url, { method: 'POST', body: sent })).text);
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(await isRead(nested(MAX_LEVELS))).toBe(true);
    expect(await isRead(nested(MAX_LEVELS + 1))).toBe(false);
    expect(await isRead('['.repeat(MAX_LEVELS).concat('{"a":[]}', ']'.repeat(MAX_LEVELS)))).toBe(false);
    expect(await isRead(JSON.stringify(Array.from({ length: 500 }, () => [{ a: 1 }])))).toBe(true);
  });

  it('is not one with brackets in its strings', async () => {
    const url = await reading(10_000);
    const sent = JSON.stringify({ a: '['.repeat(500), '\\"{': `"\\"${'{['.repeat(500)}`, b: '\\' });
    const { text } = await ask(url, { method: 'POST', body: sent });
    expect(JSON.parse(text).json).toEqual(JSON.parse(sent));
  });
});

describe('a body', () => {
  it('counts its messages', () => {
    expect([
      messagesIn(body('{"id":1}')),
      messagesIn(body('[{"id":1},{"id":2}]')),
      messagesIn(body('[]')),
      messagesIn({ json: undefined }),
    ]).toEqual([1, 2, 1, 1]);
  });

  it('has the id of its request, if there is one', () => {
    expect(
      ['{"id":7}', '{"id":"a"}', '{"id":{}}', '[{"id":1}]', '{}', 'null'].map((text) =>
        readRequestId(body(text)),
      ),
    ).toEqual([7, 'a', null, null, null, null]);
  });

  it('says which methods it asks for, also in a batch, and which requests want an answer', () => {
    const batch = [
      { method: 'a', id: 1 },
      { method: 'b' },
      { id: 2, result: {} },
      { method: 'c', id: 'x' },
      1,
    ];
    expect(['a', 'b', 'c', 'd'].map((method) => asksFor(batch, method))).toEqual([true, true, true, false]);
    expect(asksFor({ method: 'a' }, 'a')).toBe(true);
    expect(asksFor(undefined, 'a')).toBe(false);
    expect(requestIdsIn(batch)).toEqual([1, 'x']);
  });

  it('says which requests it cancels, and whether one is its own', () => {
    const cancel = (requestId: unknown) => ({ method: 'notifications/cancelled', params: { requestId } });
    const call = { method: 'tools/call', id: 7 };
    expect(cancelledIdsIn([call, cancel(7), cancel('x'), cancel({}), { method: 'ping' }])).toEqual([7, 'x']);
    expect(cancelledIdsIn(cancel(8))).toEqual([8]);
    expect(
      [[call, cancel(7)], [cancel(7), call], [call, cancel(8)], [call, cancel('7')], call].map((json) =>
        cancelsItself({ json }),
      ),
    ).toEqual([true, true, false, false, false]);
  });
});
