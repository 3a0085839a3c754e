import { describe, expect, it } from 'vitest';
import { declaredIn, granted } from '../../../extensions/scripts/declared.ts';

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
      memoryBytes: null,
      writes: true,
      folders: [],
      env: ['A', 'B'],
      network: ['example.com'],
    });
  });

  it.each([
    [{ 'skillgate.memory': '64MiB', 'skillgate.files': 'read' }, 64 * 2 ** 20, false],
    [{ capabilities: { memory: '2 GB', filesystem: ['read', 'write'] } }, 2 * 2 ** 30, true],
    [{ capabilities: { filesystem: 'none' } }, null, false],
    [{ 'skillgate.memory': 'much', 'skillgate.files': 'read-write' }, null, true],
  ])('reads memory and file permissions: %j', (metadata, memoryBytes, writes) => {
    expect(declaredIn({ metadata })).toMatchObject({ memoryBytes, writes });
  });

  it.each(['capabilities', 'permissions'])('reads %s at the top level and in metadata', (key) => {
    const block = { memory: '64MiB', network: ['a.example'], filesystem: ['read:/data', 'write:/out'] };
    const expected = {
      memoryBytes: 64 * 2 ** 20,
      network: ['a.example'],
      writes: true,
      folders: [
        { access: 'read', path: '/data' },
        { access: 'write', path: '/out' },
      ],
    };
    expect(declaredIn({ [key]: block })).toMatchObject(expected);
    expect(declaredIn({ metadata: { [key]: block } })).toMatchObject(expected);
    const both = { [key]: { ...block, memory: undefined }, metadata: { [key]: { memory: '64mb' } } };
    expect(declaredIn(both)).toMatchObject(expected);
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
    expect(declaredIn(frontmatter)).toEqual({
      style: 'auto',
      timeoutMs: null,
      memoryBytes: null,
      writes: true,
      folders: [],
      env: null,
      network: [],
    });
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
