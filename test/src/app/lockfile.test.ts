import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPin, findPin, readLock, writeLock, writeWhole } from '../../../src/app/lockfile.ts';
import type { SourceStatus } from '../../../src/sources/fetched.ts';
import { plant } from '../sources/scan/tree.ts';

const status = (name: string, resolved: string | null, origin = `https://${name}.org`): SourceStatus => ({
  name,
  kind: 'git',
  origin,
  resolved,
  verifiedAt: null,
  failure: null,
});
const fresh = () => join(plant({}), 'skillgate.lock.json');

describe('the lockfile', () => {
  it('holds kind, origin and resolved version of each source, sorted by name', () => {
    const [one, other] = [fresh(), fresh()];
    expect(writeLock(one, [status('b', '2'), status('a', '1')], ['a', 'b'])).toBe(true);
    writeLock(other, [status('a', '1'), status('b', '2')], ['b', 'a']);
    expect(readFileSync(one, 'utf8')).toBe(readFileSync(other, 'utf8'));
    expect(readFileSync(one, 'utf8')).toBe(`{
  "version": 1,
  "sources": {
    "a": {
      "kind": "git",
      "origin": "https://a.org",
      "resolved": "1"
    },
    "b": {
      "kind": "git",
      "origin": "https://b.org",
      "resolved": "2"
    }
  }
}
`);
    expect(readLock(one)).toEqual(JSON.parse(readFileSync(one, 'utf8')).sources);
  });

  it('is written only when a source moves', () => {
    const file = fresh();
    expect(writeLock(file, [status('a', null)], ['a'])).toBe(false);
    expect(existsSync(file)).toBe(false);
    writeLock(file, [status('a', '1')], ['a']);
    expect(writeLock(file, [status('a', '1')], ['a'])).toBe(false);
    expect(writeLock(file, [status('a', '2')], ['a'])).toBe(true);
  });

  it('keeps entries of unchecked sources, drops those of removed sources and changed origins', () => {
    const file = fresh();
    writeLock(file, [status('a', '1'), status('b', '2'), status('c', '3')], ['a', 'b', 'c']);
    writeLock(file, [status('c', null, 'https://other.org')], ['a', 'c']);
    expect(Object.keys(readLock(file))).toEqual(['a']);
  });

  it('writes origins inside the project as relative paths', () => {
    const file = fresh();
    const origin = join(file, '..', 'vendor', 'x.zip');
    writeLock(file, [status('a', '1', origin)], ['a']);
    expect(readLock(file).a?.origin).toBe('./vendor/x.zip');
    expect(() => checkPin(readLock(file), status('a', '1', origin), file)).not.toThrow();
  });

  it('explains the fix for an unknown source and for a changed origin', () => {
    const file = fresh();
    writeLock(file, [status('a', '1')], ['a']);
    const lock = readLock(file);
    expect(findPin(lock, 'a')).toBe('1');
    expect(() => findPin(lock, 'b')).toThrow(
      expect.objectContaining({
        code: 'LOCK_MISMATCH',
        message: expect.stringContaining('skillgate sources refresh b without --frozen'),
      }),
    );
    expect(() => findPin(lock, 'constructor')).toThrow(
      'The source constructor is not in skillgate.lock.json',
    );
    expect(() => checkPin(lock, status('a', '1', 'https://evil.org'), file)).toThrow(
      'comes from https://evil.org, but skillgate.lock.json has it from https://a.org',
    );
  });

  it.each([
    '{',
    '[]',
    '{"version": 2, "sources": {}}',
    '{"version": 1, "sources": {"a": {"kind": "git"}}}',
    '{"version": 1, "sources": {"a": 1}}',
  ])('is rejected with its line if invalid: %s', (text) => {
    const file = join(plant({ 'skillgate.lock.json': text }), 'skillgate.lock.json');
    expect(() => readLock(file)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/skillgate\.lock\.json:\d+:\d+: /),
      }),
    );
  });
});

describe('writeWhole', () => {
  it('writes the target of a link, and keeps the link', () => {
    const root = plant({ 'real.json': 'old' });
    symlinkSync(join(root, 'real.json'), join(root, 'link.json'));
    writeWhole(join(root, 'link.json'), 'new');
    expect(readFileSync(join(root, 'real.json'), 'utf8')).toBe('new');
  });

  it('names the file that cannot be written', () => {
    expect(() => writeWhole(join(plant({}), 'no', 'x.json'), 'x')).toThrow('x.json cannot be written');
  });
});
