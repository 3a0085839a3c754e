import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { NetError } from '../../../src/net/errors.ts';
import { PeerError } from '../../../src/peers/errors.ts';
import { isMissingMethod, peerErrorOf } from '../../../src/peers/faults.ts';

const hide = (text: string) => text.replaceAll('opensesame', '[hidden]');
const refused = new Error('connect ECONNREFUSED');

describe('peerErrorOf', () => {
  it.each([
    ['a silence', new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out'), 'PEER_SLOW', 'timed out'],
    [
      'a death',
      new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'),
      'PEER_GONE',
      'before it had answered',
    ],
    ['a wrong result', new SdkError(SdkErrorCode.InvalidResult, 'bad'), 'PEER_ANSWER', 'bad.'],
    ['nobody there', Object.assign(refused, { code: 'ECONNREFUSED' }), 'PEER_UNREACHABLE', '(ECONNREFUSED)'],
    [
      'a reason buried in others',
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) }),
      'PEER_UNREACHABLE',
      '(ENOTFOUND)',
    ],
    [
      'an address that may not be asked',
      new SdkError(SdkErrorCode.EraNegotiationFailed, 'x', undefined, {
        cause: new NetError('NET_REFUSED', '10.0.0.1 is a private address.'),
      }),
      'PEER_UNREACHABLE',
      'private address',
    ],
    [
      'an answer of another shape',
      z.string().safeParse(7).error,
      'PEER_ANSWER',
      'not what the protocol says',
    ],
  ])('tells of %s', (_, error, code, said) => {
    expect(peerErrorOf(error, hide)).toMatchObject({ code, message: expect.stringContaining(said) });
  });

  it('keeps a refusal’s code, message and data, without what was told in confidence', () => {
    const error = new ProtocolError(-32_001, 'no opensesame', { given: 'opensesame' });
    expect(peerErrorOf(error, hide)).toMatchObject({
      code: 'PEER_REFUSED',
      data: { code: -32_001, message: 'no [hidden]', data: { given: '[hidden]' } },
    });
  });

  it('leaves errors that are not the peer’s to their throwers', () => {
    expect(peerErrorOf(new Error('ours'), hide)).toBeNull();
    expect(peerErrorOf(Object.assign(new Error('ours'), { code: 'FETCH_TOO_LARGE' }), hide)).toBeNull();
  });
});

describe('isMissingMethod', () => {
  it('knows the code in either error', () => {
    expect(isMissingMethod(new ProtocolError(-32_601, 'x'))).toBe(true);
    expect(isMissingMethod(new PeerError('PEER_REFUSED', 'x', { code: -32_601 }))).toBe(true);
    expect(isMissingMethod(new ProtocolError(-32_602, 'x'))).toBe(false);
    expect(isMissingMethod(new Error('x'))).toBe(false);
  });
});
