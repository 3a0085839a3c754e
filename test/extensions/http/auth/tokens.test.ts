/** Bearer tokens: created, never stored, revoked. */

import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readTokens } from '../../../../extensions/http/auth/token-file.ts';
import {
  createToken,
  findRecord,
  isOurToken,
  revokeToken,
  tokenState,
} from '../../../../extensions/http/auth/tokens.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'deep', 'tokens.json');
});

const NOW = new Date('2026-11-22T00:00:00.000Z');
const making = { now: NOW, random: randomBytes };
const later = (ms: number) => new Date(NOW.getTime() + ms);

describe('createToken', () => {
  it('returns 256 random bits and stores only their SHA-256', async () => {
    const random = (bytes: number) => new Uint8Array(bytes).fill(7);
    const token = await createToken(
      file,
      { name: 'ci', scopes: ['skills'], expires: null },
      { now: NOW, random },
    );
    expect(token).toBe(`sgt_${Buffer.alloc(32, 7).toString('base64url')}`);
    expect(await readTokens(file)).toEqual([
      {
        name: 'ci',
        hash: createHash('sha256').update(token).digest('hex'),
        scopes: ['skills'],
        created: NOW.toISOString(),
        expires: null,
        revoked: null,
      },
    ]);
    expect(readFileSync(file, 'utf8')).not.toContain(token.slice(4, 20));
  });

  it('writes a file for its owner only, and leaves no temporary file', async () => {
    await createToken(file, { name: 'ci', scopes: [], expires: null }, making);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'deep'))).toEqual(['tokens.json']);
  });

  it('refuses the name of a valid token, and replaces an invalid one', async () => {
    await createToken(file, { name: 'ci', scopes: [], expires: later(1_000) }, making);
    await expect(createToken(file, { name: 'ci', scopes: [], expires: null }, making)).rejects.toMatchObject({
      code: 'TOKEN_EXISTS',
    });
    await createToken(file, { name: 'ci', scopes: [], expires: null }, { ...making, now: later(1_000) });
    expect(await readTokens(file)).toHaveLength(1);
  });

  it('loses no tokens that are created concurrently', async () => {
    const names = Array.from({ length: 8 }, (_, at) => `agent-${at}`);
    await Promise.all(names.map((name) => createToken(file, { name, scopes: [], expires: null }, making)));
    expect((await readTokens(file)).map(({ name }) => name).sort()).toEqual(names);
  });

  it('does not change a file that it did not write', async () => {
    await createToken(file, { name: 'ci', scopes: [], expires: null }, making);
    writeFileSync(file, '{"version": 2}');
    await expect(createToken(file, { name: 'b', scopes: [], expires: null }, making)).rejects.toMatchObject({
      code: 'TOKEN_FILE_INVALID',
    });
    expect(readFileSync(file, 'utf8')).toBe('{"version": 2}');
  });
});

describe('a token', () => {
  it('is valid until it expires, and never after it is revoked', async () => {
    await createToken(file, { name: 'ci', scopes: [], expires: later(1_000) }, making);
    const [record] = await readTokens(file);
    expect([0, 999, 1_000].map((ms) => tokenState(record!, later(ms)))).toEqual(['good', 'good', 'expired']);
    await revokeToken(file, 'ci', later(10));
    const [revoked] = await readTokens(file);
    expect(revoked).toMatchObject({ revoked: later(10).toISOString() });
    expect(tokenState(revoked!, later(0))).toBe('revoked');
    await expect(revokeToken(file, 'ci', NOW)).rejects.toMatchObject({ code: 'TOKEN_UNKNOWN' });
  });

  it('is found only by its full text', async () => {
    const made = await Promise.all(
      ['a', 'b', 'c'].map((name) => createToken(file, { name, scopes: [], expires: null }, making)),
    );
    const tokens = await readTokens(file);
    expect(made.map((token) => findRecord(tokens, token)?.name)).toEqual(['a', 'b', 'c']);
    const [first = ''] = made;
    const wrong = [first.slice(0, -1), `${first}x`, first.slice(4), '', 'sgt_', ` ${first}`];
    expect(wrong.map((token) => findRecord(tokens, token))).toEqual(wrong.map(() => undefined));
    expect([first, 'eyJ.x.y', 'SGT_x'].map(isOurToken)).toEqual([true, false, false]);
  });
});
