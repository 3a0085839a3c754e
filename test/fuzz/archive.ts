/** Bytes as an archive: it is refused with an error for the operator, or all that comes out has plain relative paths. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpack } from '../../extensions/remote-sources/archive/unpack.ts';
import { FetchError } from '../../extensions/remote-sources/fetched/fetch-error.ts';

const MAX_BYTES = 2 ** 20;

const folder = mkdtempSync(join(tmpdir(), 'skillgate-fuzz-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

export async function unpacked(data: Uint8Array): Promise<void> {
  const path = join(folder, 'archive');
  writeFileSync(path, data);
  let bytes = 0;
  try {
    const files = await unpack(path, {
      limits: { maxBytes: MAX_BYTES, maxSkills: 100 },
      signal: new AbortController().signal,
      report: (_id, _path, message) => assert.notEqual(message, ''),
      // Counts like the store of a fetch, and keeps nothing.
      async store(pieces, { executable = false, from = null } = {}) {
        let size = 0;
        for await (const piece of pieces instanceof Uint8Array ? [pieces] : pieces) {
          size += piece.length;
          bytes += piece.length;
          if (bytes > MAX_BYTES) throw new FetchError('Too many bytes.');
        }
        return { sha256: '0'.repeat(64), size, executable, at: 0, from };
      },
    });
    for (const name of files.keys()) {
      assert.ok(!name.startsWith('/') && !/^[a-z]:/i.test(name), name);
      assert.ok(!/[\0\\]/.test(name), name);
      assert.ok(
        name.split('/').every((part) => !['', '.', '..'].includes(part)),
        name,
      );
    }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
  }
}
