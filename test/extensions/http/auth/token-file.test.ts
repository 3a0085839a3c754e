/** The token file: valid contents, and errors for invalid ones. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readTokens, scopeSchema, tokenNameSchema } from '../../../../extensions/http/auth/token-file.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const record = {
  name: 'ci',
  hash: 'a'.repeat(64),
  scopes: [],
  created: '2026-01-01T00:00:00.000Z',
  expires: null,
  revoked: null,
};

describe('readTokens', () => {
  it('returns no tokens if there is no file', async () => {
    expect(await readTokens(join(folder, 'none.json'))).toEqual([]);
  });

  it.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['another version', JSON.stringify({ version: 2, tokens: [] })],
    ['a token without a hash', JSON.stringify({ version: 1, tokens: [{ ...record, hash: undefined }] })],
    ['a hash of another kind', JSON.stringify({ version: 1, tokens: [{ ...record, hash: 'abc' }] })],
    ['a member that is not known', JSON.stringify({ version: 1, tokens: [{ ...record, admin: true }] })],
    ['a reserved name', JSON.stringify({ version: 1, tokens: [{ ...record, name: 'local' }] })],
  ])('refuses %s, naming the file and what to do', async (_, text) => {
    const file = join(folder, 'tokens.json');
    writeFileSync(file, text);
    const failure = readTokens(file);
    await expect(failure).rejects.toMatchObject({ code: 'TOKEN_FILE_INVALID' });
    await expect(failure).rejects.toThrow(file);
    await expect(failure).rejects.toThrow('Restore it, or delete it');
  });

  it('reports a file that it may not read', async () => {
    mkdirSync(join(folder, 'tokens.json'));
    await expect(readTokens(join(folder, 'tokens.json'))).rejects.toMatchObject({
      code: 'TOKEN_FILE_UNREADABLE',
    });
  });
});

describe.skipIf(process.platform === 'win32')('a file that others may write', () => {
  it.each([0o620, 0o602, 0o666])('is refused with mode %o, and says what to do', async (mode) => {
    const file = join(folder, 'tokens.json');
    writeFileSync(file, JSON.stringify({ version: 1, tokens: [record] }));
    chmodSync(file, mode);
    const failure = readTokens(file);
    await expect(failure).rejects.toMatchObject({ code: 'TOKEN_FILE_EXPOSED' });
    await expect(failure).rejects.toThrow(`chmod 600 ${file}`);
    chmodSync(file, 0o644);
    expect(await readTokens(file)).toHaveLength(1);
  });
});

describe('names and scopes', () => {
  it.each(['local', '', 'a b', '*', 'scope:x', '-a', 'x'.repeat(65), 'a/b', 'a\n'])(
    'a token is not called %j',
    (name) => {
      expect(tokenNameSchema.safeParse(name).success).toBe(false);
    },
  );

  it.each(['', 'a b', 'a"b', 'a\\b', 'ä', 'a\n'])('a scope is not %j', (scope) => {
    expect(scopeSchema.safeParse(scope).success).toBe(false);
  });

  it('are otherwise unrestricted', () => {
    for (const name of ['ci', 'alice@example.org', 'team-a.build_2'])
      expect(tokenNameSchema.parse(name)).toBe(name);
    for (const scope of ['metrics', 'skills:read', 'https://x.example/read'])
      expect(scopeSchema.parse(scope)).toBe(scope);
  });
});
