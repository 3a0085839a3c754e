import { describe, expect, it } from 'vitest';
import { paramsFault, withoutEmptyParams } from '../../../src/mcp/request-params.ts';

const request = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });

describe('paramsFault', () => {
  it.each([
    ['resources/read', {}, '`uri` must be a string, and is missing'],
    ['prompts/get', {}, '`name` must be a string, and is missing'],
    ['prompts/get', { name: 'a', arguments: { x: 1 } }, '`arguments.x` must be a string'],
    ['completion/complete', {}, '`ref` must be an object, and is missing'],
    ['initialize', {}, '`protocolVersion` must be a string, and is missing'],
    ['initialize', { protocolVersion: '1', capabilities: [] }, '`capabilities` must be an object.'],
    ['tools/call', { name: 'a', arguments: [1] }, '`arguments` must be an object.'],
    ['skills/list', { cursor: 7 }, '`cursor` must be a string'],
    ['resources/list', { cursor: 7 }, '`cursor` must be a string'],
    ['tools/list', { cursor: 'nonsense' }, '`cursor` is unknown'],
    ['prompts/list', { cursor: 'nonsense' }, '`cursor` is unknown'],
    ['resources/templates/list', { cursor: 'nonsense' }, '`cursor` is unknown'],
    ['resources/directory/read', { uri: 'skill://a', cursor: 'nonsense' }, '`cursor` is unknown'],
  ])('%s with %j: %s', (method, params, fault) => {
    expect(paramsFault(request(method, params))).toContain(`${method}: ${fault}`);
    expect(paramsFault([request('ping'), request(method, params)])).toContain(fault);
  });

  it.each([
    ['tools/list', undefined],
    ['tools/list', { _meta: { a: 1 } }],
    ['tools/call', { name: 'search_skills' }],
    [
      'initialize',
      { protocolVersion: '1', capabilities: { x: {} }, clientInfo: { name: 'a', version: '1' } },
    ],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'b', value: '' } }],
    ['made/up', 7],
    ['toString', {}],
  ])('takes %s with %j', (method, params) => expect(paramsFault(request(method, params))).toBeUndefined());

  it('leaves notifications and answers alone', () => {
    expect(paramsFault({ jsonrpc: '2.0', method: 'resources/read', params: {} })).toBeUndefined();
    expect(paramsFault({ jsonrpc: '2.0', id: 1, result: {} })).toBeUndefined();
    expect(paramsFault(7)).toBeUndefined();
  });
});

it.each([
  [{ method: 'tools/list', params: null }, { method: 'tools/list' }],
  [{ method: 'tools/list', params: [] }, { method: 'tools/list' }],
  [
    { method: 'a', params: { name: 'b', arguments: null } },
    { method: 'a', params: { name: 'b' } },
  ],
  [
    { method: 'a', params: { name: 'b', arguments: [] } },
    { method: 'a', params: { name: 'b' } },
  ],
  [
    { method: 'a', params: [1] },
    { method: 'a', params: [1] },
  ],
  [[{ method: 'a', params: null }], [{ method: 'a' }]],
  [
    { id: 1, result: null },
    { id: 1, result: null },
  ],
])('withoutEmptyParams(%j) is %j', (message, expected) => {
  expect(withoutEmptyParams(message)).toEqual(expected);
});
