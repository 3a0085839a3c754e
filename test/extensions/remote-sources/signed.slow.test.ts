/** Sources that must be signed: what nobody trusted signed is not used, and what was verified before stays. */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveSource } from '../../../extensions/remote-sources/archive/source.ts';
import { checkSignature, minisignKey } from '../../../extensions/remote-sources/fetched/minisign.ts';
import type { CommitSigners } from '../../../extensions/remote-sources/git/signature.ts';
import { gitSource } from '../../../extensions/remote-sources/git/source.ts';
import { wellKnownSource } from '../../../extensions/remote-sources/well-known/source.ts';
import type { FetchedSource } from '../../../src/sources/fetched.ts';
import { fetchOptions } from '../../contracts/fetched-source.ts';
import { needsThat } from '../../needs.ts';
import { plant, skillText } from '../../src/sources/scan/tree.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { packedFiles, zip } from './archive/packing.ts';
import { GIT_ENV, repository } from './git/repository.ts';
import { SCHEMA, site } from './well-known/site.ts';

const TEA = { 'tea/SKILL.md': skillText('tea') };
const POT = { 'pot/SKILL.md': skillText('pot') };

async function fetched(source: FetchedSource) {
  await source.refresh();
  const { folders } = await source.scan();
  return { ids: folders.map(({ id }) => id), failure: source.status().failure };
}

/** Nothing new is used, for this reason; what was verified before stays. */
const refused = (reason: string, ids: readonly string[] = []) => ({
  ids,
  failure: expect.stringContaining(reason),
});

/** What `minisign -G` and `minisign -S` do. */
function minisigner() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const id = createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest()
    .subarray(0, 8);
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const signed = (bytes: Uint8Array, key: KeyObject = privateKey, comment = 'made by a test') => {
    const own = sign(null, createHash('blake2b512').update(bytes).digest(), key);
    const global = sign(null, Buffer.concat([own, Buffer.from(comment)]), key);
    const first = Buffer.concat([Buffer.from('ED'), id, own]).toString('base64');
    return `untrusted comment: a test\n${first}\ntrusted comment: ${comment}\n${global.toString('base64')}\n`;
  };
  return { publicKey: Buffer.concat([Buffer.from('Ed'), id, raw]).toString('base64'), signed };
}

describe('a signature of minisign', () => {
  // Made by minisign 0.11: -G -W, then -S -t 'trusted words' over the text below, and -S -l.
  const KEY = 'RWTlGkoeONf72ktsZ1Kg6mcLkXPKboGaI+QIdh3JB8GYDaxVR97yJYr4';
  const MESSAGE = Buffer.from('signed by minisign\n');
  const GOOD = `untrusted comment: signature from minisign secret key
RUTlGkoeONf72m5+CbaMHS77bHslb9ayNNEHMuwQ1ZSi+pKmt6pzblbp4MJAFyS9rZachh3zpl5MY81xO0cMnyD7JmUrBjHjhAE=
trusted comment: trusted words
9bA22v126R41g17DA/f+bc2ZQAlxLqZwA+EdddmXkIL6AOfMr9ySYHvEyHJN9oZ+eTmE5hqVO4y4KAmaGYReBQ==
`;
  const OLD = `untrusted comment: signature from minisign secret key
RWTlGkoeONf72uXKK8xT57jbLyx2SnRB5joj0XU+WqRspBgbfDkwlwsRQ+gfRyJ9i04Zljf3lRCXomcXGN5IEX9mLh+AGPf8zA0=
trusted comment: timestamp:1795412712\tfile:msg
OML2Rt1PbnBurLmS7rQyqfmrvb7+r+CfXEE/lw9wc+0rouRMLOMpcgwsDxQ8+vSGoqdxUFK7kuvx++u9yjGaDw==
`;
  const check = (signature: string, message: Uint8Array = MESSAGE, key = KEY) =>
    checkSignature(minisignKey(key), signature, [message], 'msg');

  it('is accepted as the program itself made it, and its key has the id that the program prints', async () => {
    await expect(check(GOOD)).resolves.toBeUndefined();
    await expect(check(GOOD.replaceAll('\n', '\r\n'))).resolves.toBeUndefined();
    expect(minisignKey(KEY).id).toBe('DAFBD7381E4A1AE5');
  });

  it('is refused if the file, the trusted comment or any bit of it changed', async () => {
    await expect(check(GOOD, Buffer.from('signed by minisign'))).rejects.toThrow('does not match');
    await expect(check(GOOD.replace('trusted words', 'other words'))).rejects.toThrow('does not match');
    const lines = GOOD.split('\n');
    for (const line of [1, 3]) {
      const bytes = Buffer.from(lines[line] ?? '', 'base64');
      for (let at = line === 1 ? 10 : 0; at < bytes.length; at += 7) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        const text = lines.with(line, changed.toString('base64')).join('\n');
        await expect(check(text), `${line} ${at}`).rejects.toThrow('does not match');
      }
    }
  });

  it('is refused with the reason: another key, the old format, no signature at all', async () => {
    const other = minisigner();
    await expect(check(other.signed(MESSAGE))).rejects.toThrow(
      /is by the key [0-9A-F]{16}, and .* trusts DAFBD7381E4A1AE5/,
    );
    await expect(check(OLD)).rejects.toThrow('old format');
    for (const text of ['', 'hello', GOOD.split('\n').slice(0, 2).join('\n')])
      await expect(check(text)).rejects.toThrow('not in the format');
    expect(() => minisignKey('RWQ')).toThrow('RW');
  });
});

describe('an archive that must be signed', () => {
  const { publicKey, signed } = minisigner();
  const packed = (tree: Record<string, string>) => zip(packedFiles(tree));
  function place() {
    const folder = plant({});
    const path = join(folder, 'skills.zip');
    const open = (minisign?: string) =>
      archiveSource({
        ...fetchOptions(join(folder, 'place')),
        path,
        ...(minisign !== undefined && { minisign }),
      });
    return { path, open, write: (bytes: Uint8Array) => writeFileSync(path, bytes) };
  }

  it('is refused without a signature, with another key, and where it was exchanged; the verified one stays', async () => {
    const { path, open, write } = place();
    write(packed(TEA));
    const source = open(publicKey);
    expect(await fetched(source)).toEqual(refused(`${path}.minisig`));
    writeFileSync(`${path}.minisig`, minisigner().signed(packed(TEA)));
    expect(await fetched(source)).toEqual(refused('is by the key'));
    writeFileSync(`${path}.minisig`, signed(packed(TEA)));
    expect(await fetched(source)).toEqual({ ids: ['tea'], failure: null });
    write(packed(POT));
    expect(await fetched(source)).toEqual(refused('does not match', ['tea']));
  });

  it('does not count as verified because it was unpacked before the key was configured', async () => {
    const { open, write } = place();
    write(packed(TEA));
    expect((await fetched(open())).ids).toEqual(['tea']);
    expect((await fetched(open(publicKey))).ids).toEqual([]);
  });
});

describe('a site that must be signed', () => {
  const { publicKey, signed } = minisigner();
  const INDEX = '/.well-known/agent-skills/index.json';
  async function published() {
    const origin = await site();
    const index = () => Buffer.from(JSON.stringify({ $schema: SCHEMA, skills: origin.entries }));
    const source = wellKnownSource({
      ...fetchOptions(join(plant({}), 'place')),
      ...{ url: origin.server.origin, headers: {}, allowPrivate: true, minisign: publicKey },
    });
    const put = (signature: string) => origin.artifacts.set(`${INDEX}.minisig`, Buffer.from(signature));
    return { origin, index, source, put };
  }

  it('is used if the key signed its index, which names the digest of each artifact', async () => {
    const { origin, index, source, put } = await published();
    origin.hold({ ...TEA, ...POT });
    put(signed(index()));
    expect(await fetched(source)).toEqual({ ids: ['pot', 'tea'], failure: null });
    // An artifact that is exchanged afterwards has another digest.
    const [artifact = ''] = [...origin.artifacts.keys()].filter((path) => path.includes('/tea/'));
    origin.hold({ ...TEA, ...POT });
    origin.artifacts.set(artifact, Buffer.from(skillText('tea', 'Evil.\n')));
    put(signed(index()));
    await source.refresh();
    const { folders } = await source.scan();
    const text = folders.map(({ folder }) => readFileSync(join(folder, 'SKILL.md'), 'utf8')).join();
    expect(text).not.toContain('Evil');
    await origin.server.close();
  });

  it('is refused without a signature, with another key, and with another index; what was verified stays', async () => {
    const { origin, index, source, put } = await published();
    origin.hold(TEA);
    expect(await fetched(source)).toEqual(refused('has no signature'));
    put(minisigner().signed(index()));
    expect(await fetched(source)).toEqual(refused('is by the key'));
    put(signed(index()));
    expect((await fetched(source)).ids).toEqual(['tea']);
    const last = signed(index());
    origin.hold(POT);
    put(last);
    expect(await fetched(source)).toEqual(refused('does not match', ['tea']));
    await origin.server.close();
  });
});

describe('a repository that must be signed, by SSH keys', () => {
  const folder = temporaryFolder();
  const key = (name: string) => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(folder, name)]);
    return readFileSync(join(folder, `${name}.pub`), 'utf8')
      .split(' ')
      .slice(0, 2)
      .join(' ');
  };
  const hasSsh = spawnSync('ssh-keygen', ['-?']).error === undefined;
  const allowedSigners = join(folder, 'allowed');
  beforeAll(() => {
    if (!hasSsh) return;
    writeFileSync(allowedSigners, `a@example.org namespaces="git" ${key('trusted')}\n`);
    key('stranger');
  });

  /** Signs the last commit of `main` again with that key. */
  function resign(origin: ReturnType<typeof repository>, name: string): string {
    const tree = origin.git('rev-parse', 'main^{tree}');
    const commit = origin.git(
      ...['-c', 'gpg.format=ssh', '-c', `user.signingKey=${join(folder, name)}`],
      ...['commit-tree', '-S', '-m', 'signed', tree],
    );
    origin.git('update-ref', 'refs/heads/main', commit);
    return commit;
  }
  const open = (
    path: string,
    signers: CommitSigners = { allowedSigners },
    place = join(plant({}), 'place'),
  ) => gitSource({ ...fetchOptions(place), url: path, env: GIT_ENV, signers });

  it(
    'is refused unsigned, and signed by a stranger; what was verified stays',
    needsThat(hasSsh, 'ssh-keygen'),
    async () => {
      const origin = repository();
      origin.commit(TEA);
      const source = open(origin.path);
      expect(await fetched(source)).toEqual(refused('it has no signature'));
      resign(origin, 'stranger');
      expect(await fetched(source)).toEqual(refused('its key is not trusted'));
      resign(origin, 'trusted');
      expect((await fetched(source)).ids).toEqual(['tea']);
      origin.commit(POT);
      expect(await fetched(source)).toEqual(refused('no signature', ['tea']));
    },
  );

  it(
    'is refused if the commit was changed under its signature',
    needsThat(hasSsh, 'ssh-keygen'),
    async () => {
      const origin = repository();
      origin.commit(TEA);
      const good = resign(origin, 'trusted');
      origin.commit(POT);
      const tree = origin.git('rev-parse', 'main^{tree}');
      const forged = origin.git('cat-file', 'commit', good).replace(/^tree .*/, `tree ${tree}`);
      const file = join(plant({}), 'commit');
      writeFileSync(file, `${forged}\n`);
      const commit = origin.git('hash-object', '-t', 'commit', '-w', file);
      origin.git('update-ref', 'refs/heads/main', commit);
      expect(await fetched(open(origin.path))).toEqual(refused('is not used'));
    },
  );

  it(
    'does not count as verified if another key was trusted when it was fetched',
    needsThat(hasSsh, 'ssh-keygen'),
    async () => {
      const origin = repository();
      origin.commit(TEA);
      resign(origin, 'stranger');
      const others = join(folder, 'others');
      writeFileSync(others, `b@example.org ${readFileSync(join(folder, 'stranger.pub'), 'utf8')}`);
      const place = join(plant({}), 'place');
      expect((await fetched(open(origin.path, { allowedSigners: others }, place))).ids).toEqual(['tea']);
      expect((await fetched(open(origin.path, { allowedSigners }, place))).ids).toEqual([]);
    },
  );
});

describe('a repository that must be signed, by GnuPG', () => {
  // Short: the agent's socket is in it.
  const keyrings = temporaryFolder();
  const homes = ['trusted', 'stranger', 'public'].map((name) => join(keyrings, name));
  const [trusted = '', stranger = '', gnupgHome = ''] = homes;
  const hasGpg = spawnSync('gpg', ['--version']).status === 0 && homes.every(({ length }) => length < 80);
  const gpg = (home: string, ...args: string[]) =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', '--passphrase', '', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  beforeAll(() => {
    if (!hasGpg) return;
    for (const home of homes) mkdirSync(home, { mode: 0o700, recursive: true });
    for (const home of [trusted, stranger])
      gpg(home, '--quick-gen-key', 'A <a@example.org>', 'ed25519', 'sign', 'never');
    const file = join(keyrings, 'key');
    writeFileSync(file, gpg(trusted, '--export'));
    gpg(gnupgHome, '--import', file);
  });
  afterAll(() => {
    for (const home of homes) spawnSync('gpgconf', ['--homedir', home, '--kill', 'all']);
  });

  it(
    'is used if a key of the keyring signed the commit, and refused otherwise',
    needsThat(hasGpg, 'gpg'),
    async () => {
      const origin = repository();
      const open = () =>
        gitSource({
          ...fetchOptions(join(plant({}), 'place')),
          ...{ url: origin.path, env: GIT_ENV, signers: { gnupgHome } },
        });
      origin.commit(TEA);
      expect(await fetched(open())).toEqual(refused('it has no signature'));
      for (const [home, ids] of [
        [stranger, []],
        [trusted, ['tea']],
      ] as const) {
        const tree = origin.git('rev-parse', 'main^{tree}');
        const program = join(
          plant({ gpg: `#!/bin/sh\nexec gpg --homedir ${home} --batch --passphrase '' "$@"\n` }),
          'gpg',
        );
        execFileSync('chmod', ['755', program]);
        const commit = origin.git('-c', `gpg.program=${program}`, 'commit-tree', '-S', '-m', 'signed', tree);
        origin.git('update-ref', 'refs/heads/main', commit);
        expect((await fetched(open())).ids).toEqual(ids);
      }
    },
  );
});
