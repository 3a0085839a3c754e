/** The digest of a skill: it changes with any path or byte of the skill. */

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

export type DigestedFile =
  | { readonly path: string; readonly bytes: Uint8Array }
  | { readonly path: string; readonly sha256: string };

/** Hex SHA-256 of some bytes. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Bytes hashed at a time: about a millisecond. */
const TURN_BYTES = 2 ** 20;

/** `hashBytes` with other work in between, for bytes that others give. */
export async function sha256InTurns(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += TURN_BYTES) {
    if (at > 0) await setImmediate();
    hash.update(bytes.subarray(at, at + TURN_BYTES));
  }
  return hash.digest('hex');
}

/**
 * Hex SHA-256 over the files in code-unit order of their paths, each as `<hex SHA-256 of its bytes>`, two spaces,
 * its path in UTF-8, and NUL: what `sha256sum -z` prints for them. The order of the argument does not matter; no path
 * is there twice.
 */
export function digestFiles(files: readonly DigestedFile[]): string {
  const hash = createHash('sha256');
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const file of sorted) {
    hash.update(`${'sha256' in file ? file.sha256 : hashBytes(file.bytes)}  ${file.path}\0`);
  }
  return hash.digest('hex');
}
