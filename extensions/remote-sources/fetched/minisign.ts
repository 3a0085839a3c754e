/**
 * Detached signatures in the format of minisign (https://jedisct1.github.io/minisign/#signature-format): Ed25519 over the
 * BLAKE2b-512 hash of a file, and a second signature that covers the first and its trusted comment.
 */

import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { FetchError } from './fetch-error.ts';

interface MinisignKey {
  /** As minisign prints it. */
  readonly id: string;
  readonly key: KeyObject;
}

/** Bytes of a signature file, comments included. */
export const MAX_SIGNATURE_BYTES = 8 * 2 ** 10;
/** RFC 8410: the head of a SubjectPublicKeyInfo with an Ed25519 key. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const [ALGORITHM, ID, KEY, SIGNATURE] = [2, 8, 32, 64];
/** `Ed` names the key; signatures are `ED` over a hash, or `Ed` over the whole file, which old versions made. */
const [OF_FILE, OF_HASH] = ['Ed', 'ED'];

/** From the second line of a `.pub` file. Throws a `FetchError`. */
export function minisignKey(text: string): MinisignKey {
  const bytes = Buffer.from(text.trim(), 'base64');
  if (bytes.length !== ALGORITHM + ID + KEY || bytes.toString('latin1', 0, ALGORITHM) !== OF_FILE) {
    const message = `${JSON.stringify(text.slice(0, 80))} is not a public key of minisign: give the line of its .pub file that begins with RW.`;
    throw new FetchError(message);
  }
  const der = Buffer.concat([SPKI, bytes.subarray(ALGORITHM + ID)]);
  return {
    id: formatId(bytes.subarray(ALGORITHM, ALGORITHM + ID)),
    key: createPublicKey({ key: der, format: 'der', type: 'spki' }),
  };
}

/** Throws if `signature`, the text of a `.minisig` file, is not one of this key over these bytes. */
export async function checkSignature(
  { id, key }: MinisignKey,
  signature: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  what: string,
): Promise<void> {
  const refuse = (reason: string) => new FetchError(`The signature of ${what} ${reason}`);
  const [, first = '', comment = '', second = ''] =
    /^untrusted comment: [^\n]*\n([^\n]+)\ntrusted comment: ([^\n]*)\n([^\n]+)\n?$/.exec(
      signature.replaceAll('\r\n', '\n'),
    ) ?? [];
  const [own, global] = [Buffer.from(first, 'base64'), Buffer.from(second, 'base64')];
  if (own.length !== ALGORITHM + ID + SIGNATURE || global.length !== SIGNATURE)
    throw refuse('is not in the format of minisign. Sign it with minisign -S.');
  const algorithm = own.toString('latin1', 0, ALGORITHM);
  if (algorithm !== OF_HASH)
    throw refuse('is of an old format. Sign it with minisign 0.10 or later, without -l.');
  const signer = formatId(own.subarray(ALGORITHM, ALGORITHM + ID));
  if (signer !== id)
    throw refuse(
      `is by the key ${signer}, and the configuration trusts ${id}. Sign it with that key, or change signedBy.`,
    );
  const signed = own.subarray(ALGORITHM + ID);
  const hash = createHash('blake2b512');
  for await (const chunk of bytes) hash.update(chunk);
  const isWhole =
    verify(null, hash.digest(), key, signed) &&
    verify(null, Buffer.concat([signed, Buffer.from(comment)]), key, global);
  if (!isWhole)
    throw refuse(`does not match: the key ${id} signed other content. Do not use it; ask its publisher.`);
}

const formatId = (bytes: Buffer) => Buffer.from(bytes).reverse().toString('hex').toUpperCase();
