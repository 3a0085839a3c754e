import { describe, expect, it } from 'vitest';
import { acceptedBy, acceptHeader, asJson } from '../../../extensions/http/accept.ts';

const BOTH = { json: true, stream: true };

it.each([
  [undefined, BOTH],
  ['', BOTH],
  ['*/*', BOTH],
  ['application/*, text/event-stream', BOTH],
  ['application/json, text/*', BOTH],
  ['application/json, */*', BOTH],
  ['APPLICATION/JSON, TEXT/EVENT-STREAM', BOTH],
  ['application/json;q=0.9, text/event-stream; q=0.1', BOTH],
  ['application/json; charset=utf-8,text/event-stream', BOTH],
  ['application/json', { json: true, stream: false }],
  ['*/*, text/event-stream;q=0', { json: true, stream: false }],
  ['text/event-stream', { json: false, stream: true }],
  ['text/html', { json: false, stream: false }],
  ['nonsense', { json: false, stream: false }],
])('%j takes %j', (header, accepted) => expect(acceptedBy(header)).toEqual(accepted));

it('asks the SDK for what it has, where the client takes it', () => {
  expect(acceptHeader({ json: true, stream: false }, false)).toBe('application/json, text/event-stream');
  expect(acceptHeader({ json: true, stream: false }, true)).toBeUndefined();
  expect(acceptHeader({ json: false, stream: false }, false)).toBeUndefined();
});

describe('asJson', () => {
  const stream = (...messages: object[]) =>
    new Response(messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join(''), {
      headers: { 'content-type': 'text/event-stream', 'mcp-session-id': 's' },
    });

  it('has the answer, with the headers of the stream, and no notification', async () => {
    const answer = await asJson(stream({ method: 'notifications/progress' }, { id: 1, result: {} }));
    expect(await answer.json()).toEqual({ id: 1, result: {} });
    expect(answer.headers.get('mcp-session-id')).toBe('s');
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('has all answers to a batch, and leaves JSON as it is', async () => {
    const answers = [
      { id: 1, result: {} },
      { id: 2, error: {} },
    ];
    expect(await (await asJson(stream(...answers))).json()).toEqual(answers);
    const json = Response.json({ id: 1 });
    expect(await asJson(json)).toBe(json);
  });
});
