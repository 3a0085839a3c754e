import { describe, expect, it } from 'vitest';
import {
  addressOrigin,
  redactor,
  type UpstreamAddress,
} from '../../../../extensions/remote-sources/upstream/address.ts';

const programAt = (more: Partial<UpstreamAddress & { kind: 'program' }> = {}): UpstreamAddress => ({
  kind: 'program',
  command: 'npx',
  args: [],
  env: {},
  ...more,
});
const webAt = (url: string, headers: Record<string, string> = {}): UpstreamAddress => ({
  kind: 'http',
  url,
  headers,
});

describe('addressOrigin', () => {
  it('names a program without its arguments, and a URL without user and query', () => {
    expect(addressOrigin(programAt({ args: ['--token=abcdefgh'] }))).toBe('npx');
    expect(addressOrigin(webAt('https://ann:secret@example.com/mcp?key=abcdefgh'))).toBe(
      'https://example.com/mcp',
    );
    expect(addressOrigin(webAt('file:///etc/passwd'))).toBe('file:///etc/passwd');
    expect(addressOrigin(webAt('nonsense'))).toBe('an address that is not a URL');
  });
});

describe('redactor', () => {
  it('hides configured secrets, with and without the word before them', () => {
    const hide = redactor(
      webAt('https://ann:p%40ssword@example.com/?key=querykey', { authorization: 'Bearer abcdefgh' }),
    );
    expect(hide('Bearer abcdefgh; abcdefgh; p@ssword; querykey')).toBe(
      '[hidden]; [hidden]; [hidden]; [hidden]',
    );
  });

  it('hides values of variables and of arguments', () => {
    const hide = redactor(programAt({ env: { TOKEN: 'opensesame' }, args: ['--key=abcdefgh'] }));
    expect(hide('--key=abcdefgh abcdefgh opensesame')).toBe('[hidden] [hidden] [hidden]');
  });

  it('hides the longest first, and keeps short words', () => {
    const hide = redactor(programAt({ env: { A: 'opensesame', B: 'opensesame-two', C: 'en' } }));
    expect(hide('opensesame-two then opensesame')).toBe('[hidden] then [hidden]');
  });
});
