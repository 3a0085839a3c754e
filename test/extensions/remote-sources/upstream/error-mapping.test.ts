import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { NetError } from '../../../../extensions/net/errors.ts';
import {
  isMissingMethod,
  toUpstreamError,
} from '../../../../extensions/remote-sources/upstream/error-mapping.ts';
import { UpstreamError } from '../../../../src/sources/upstream.ts';

const hide = (text: string) => text.replaceAll('opensesame', '[hidden]');
const refused = new Error('connect ECONNREFUSED');

describe('toUpstreamError', () => {
  it.each([
    [
      'a timeout',
      new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out'),
      'UPSTREAM_SLOW',
      'timed out',
    ],
    [
      'a closed connection',
      new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'),
      'UPSTREAM_GONE',
      'before the answer came',
    ],
    ['a wrong result', new SdkError(SdkErrorCode.InvalidResult, 'bad'), 'UPSTREAM_ANSWER', 'bad.'],
    [
      'a refused connection',
      Object.assign(refused, { code: 'ECONNREFUSED' }),
      'UPSTREAM_UNREACHABLE',
      '(ECONNREFUSED)',
    ],
    [
      'a nested reason',
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) }),
      'UPSTREAM_UNREACHABLE',
      '(ENOTFOUND)',
    ],
    [
      'a refused address',
      new SdkError(SdkErrorCode.EraNegotiationFailed, 'x', undefined, {
        cause: new NetError('NET_REFUSED', '10.0.0.1 is a private address.'),
      }),
      'UPSTREAM_UNREACHABLE',
      'private address',
    ],
    [
      'an answer of another shape',
      z.string().safeParse(7).error,
      'UPSTREAM_ANSWER',
      'does not follow the protocol',
    ],
  ])('maps %s', (_, error, code, said) => {
    expect(toUpstreamError(error, hide)).toMatchObject({ code, message: expect.stringContaining(said) });
  });

  it('keeps a refusal’s code, message and data, without secrets', () => {
    const error = new ProtocolError(-32_001, 'no opensesame', { given: 'opensesame' });
    expect(toUpstreamError(error, hide)).toMatchObject({
      code: 'UPSTREAM_REFUSED',
      data: { code: -32_001, message: 'no [hidden]', data: { given: '[hidden]' } },
    });
  });

  it('returns null for other errors', () => {
    expect(toUpstreamError(new Error('ours'), hide)).toBeNull();
    expect(toUpstreamError(Object.assign(new Error('ours'), { code: 'FETCH_TOO_LARGE' }), hide)).toBeNull();
  });
});

describe('isMissingMethod', () => {
  it('recognises the code in either error class', () => {
    expect(isMissingMethod(new ProtocolError(-32_601, 'x'))).toBe(true);
    expect(isMissingMethod(new UpstreamError('UPSTREAM_REFUSED', 'x', { data: { code: -32_601 } }))).toBe(
      true,
    );
    expect(isMissingMethod(new ProtocolError(-32_602, 'x'))).toBe(false);
    expect(isMissingMethod(new Error('x'))).toBe(false);
  });
});
