import { describe, expect, it } from 'vitest';
import { declaredIn, granted } from '../../../src/scripts/declared.ts';

describe('declaredIn', () => {
  it('reads the metadata', () => {
    const metadata = {
      'skillgate.arguments': 'stdin',
      'skillgate.timeout': '5s',
      'skillgate.env': 'A B',
      'skillgate.network': 'example.com',
    };
    expect(declaredIn({ metadata })).toEqual({
      style: 'stdin',
      timeoutMs: 5_000,
      env: ['A', 'B'],
      network: ['example.com'],
    });
  });

  it('reads a list of capabilities', () => {
    expect(declaredIn({ metadata: { capabilities: { network: ['a.example'], env: [] } } })).toMatchObject({
      env: [],
      network: ['a.example'],
    });
  });

  it.each([
    [{}],
    [{ metadata: 'x' }],
    [{ metadata: { 'skillgate.timeout': 'soon', 'skillgate.arguments': 7, capabilities: 1 } }],
  ])('takes what it cannot read for nothing said: %j', (frontmatter) => {
    expect(declaredIn(frontmatter)).toEqual({ style: 'auto', timeoutMs: null, env: null, network: [] });
  });
});

describe('granted', () => {
  it('grants of the configured variables only those asked for', () => {
    const environment = { A: '1', B: '2' };
    expect(granted(environment, { env: ['B', 'SECRET'] })).toEqual({ B: '2' });
    expect(granted(environment, { env: [] })).toEqual({});
    expect(granted(environment, { env: null })).toEqual(environment);
  });
});
