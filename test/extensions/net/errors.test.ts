import { describe, expect, it } from 'vitest';
import { NetError, shownUrl, toNetError } from '../../../extensions/net/errors.ts';

const url = new URL('https://user:pass@example.org:8443/a?key=secret#part');

describe('toNetError', () => {
  it('gives the innermost error of this room, whatever surrounds it', () => {
    const inner = new NetError('NET_REFUSED', 'private');
    const outer = new Error('fetch failed', { cause: new Error('connect', { cause: inner }) });
    expect(toNetError(outer, url)).toBe(inner);
    expect(inner.name).toBe('NetError');
  });

  it.each([
    ['its message', new Error('other side closed'), 'other side closed'],
    ['its message without the last dot', new Error('see v1.2. Closed.'), 'see v1.2. Closed'],
    ['its code', Object.assign(new Error(''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    ['its message before its code', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'refused'],
    ['nothing but its class', new Error(''), 'no answer'],
  ])('gives the innermost reason of any other error: %s', (_, inner, reason) => {
    const error = new Error('fetch failed', { cause: inner });
    expect(toNetError(error, url)).toMatchObject({
      code: 'NET_UNREACHABLE',
      message: expect.stringContaining(`https://example.org:8443/a cannot be reached: ${reason}. Check`),
      cause: error,
    });
  });

  it('takes anything that was thrown', () => {
    const error = new Error('fetch failed', { cause: 'a text' });
    for (const [thrown, cause] of [
      ['a text', 'a text'],
      [error, error],
    ])
      expect(toNetError(thrown, url)).toMatchObject({
        code: 'NET_UNREACHABLE',
        message: expect.stringContaining('https://example.org:8443/a cannot be reached'),
        cause,
      });
  });
});

describe('shownUrl', () => {
  it('leaves out what may be a credential', () => {
    expect(shownUrl(url)).toBe('https://example.org:8443/a');
  });
});
