/** Verifying tokens of the token file while the file changes. */

import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tokenVerifier } from '../../../../extensions/http/auth/token-verifier.ts';
import { createToken, revokeToken } from '../../../../extensions/http/auth/tokens.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let folder: string;
let file: string;
let clock: number;
let logged: string[];
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'tokens.json');
  clock = Date.parse('2026-11-22T00:00:00Z');
  logged = [];
});

const now = () => new Date(clock);
const verifier = () => tokenVerifier({ tokens: file, now, log: (message) => logged.push(message) });
const create = (name: string, expires: Date | null = null) =>
  createToken(file, { name, scopes: ['skills'], expires }, { now: now(), random: randomBytes });

describe('tokenVerifier', () => {
  it('returns the name and scopes of a token', async () => {
    const token = await create('ci');
    expect(await verifier()(token)).toMatchObject({
      clientId: 'ci',
      scopes: ['skills'],
      expiresAt: Number.POSITIVE_INFINITY,
      extra: { principal: { id: 'ci', scopes: ['skills'] } },
    });
  });

  it('refuses unknown, expired and revoked tokens', async () => {
    const verify = verifier();
    const token = await create('ci', new Date(clock + 60_000));
    const other = await create('other');
    await expect(verify(`sgt_${'A'.repeat(43)}`)).rejects.toMatchObject({ reason: 'unknown' });
    await verify(token);
    await revokeToken(file, 'other', now());
    clock += 1_000;
    await expect(verify(other)).rejects.toMatchObject({ reason: 'revoked' });
    clock += 60_000;
    await expect(verify(token)).rejects.toMatchObject({ reason: 'expired' });
  });

  it('accepts a token within a second after its creation', async () => {
    const verify = verifier();
    await expect(verify(`sgt_${'A'.repeat(43)}`)).rejects.toMatchObject({ reason: 'unknown' });
    const token = await create('late');
    clock += 1_000;
    expect(await verify(token)).toMatchObject({ clientId: 'late' });
  });

  it('refuses all tokens while the file cannot be read, logs it once, and recovers', async () => {
    const token = await create('ci');
    const verify = verifier();
    await verify(token);
    writeFileSync(file, 'not json at all');
    for (let attempt = 0; attempt < 3; attempt++) {
      clock += 1_000;
      await expect(verify(token)).rejects.toMatchObject({ reason: 'unavailable' });
    }
    expect(logged).toEqual([expect.stringContaining('is not valid')]);
    rmSync(file);
    const again = await create('ci');
    clock += 1_000;
    expect(await verify(again)).toMatchObject({ clientId: 'ci' });
  });

  it('refuses all tokens after the file is deleted', async () => {
    const token = await create('ci');
    const verify = verifier();
    await verify(token);
    rmSync(file);
    clock += 1_000;
    await expect(verify(token)).rejects.toMatchObject({ reason: 'unknown' });
  });
});
