import { describe, expect, it } from 'vitest';
import { originOf, type PeerAddress, redactor } from '../../../src/peers/address.ts';

const programAt = (more: Partial<PeerAddress & { kind: 'program' }> = {}): PeerAddress => ({
  kind: 'program',
  command: 'npx',
  args: [],
  env: {},
  ...more,
});
const webAt = (url: string, headers: Record<string, string> = {}): PeerAddress => ({
  kind: 'web',
  url,
  headers,
});

describe('originOf', () => {
  it('names a program without its arguments, and a site without user and query', () => {
    expect(originOf(programAt({ args: ['--token=abcdefgh'] }))).toBe('npx');
    expect(originOf(webAt('https://ann:secret@example.com/mcp?key=abcdefgh'))).toBe(
      'https://example.com/mcp',
    );
    expect(originOf(webAt('nonsense'))).toBe('an address that is no URL');
  });
});

describe('redactor', () => {
  it('hides what the configuration gave in confidence, as it is and without the word before it', () => {
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

  it('hides the longest first, and leaves short words be', () => {
    const hide = redactor(programAt({ env: { A: 'opensesame', B: 'opensesame-two', C: 'en' } }));
    expect(hide('opensesame-two then opensesame')).toBe('[hidden] then [hidden]');
  });
});
