/**
 * A skill's files, read once and compared with the catalog's digest. The run uses these bytes, so that changing a file
 * between the check and the run has no effect.
 */

import type { ServedLibrary } from '../../src/catalog/library.ts';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { filesOf, readSkillFile } from '../../src/gateway/skill-files.ts';
import { digestFiles } from '../../src/skills/digest.ts';
import type { CatalogEntry } from '../../src/sources/scan/entry.ts';
import type { GivenFile } from './sandbox/sandbox.ts';

/** The limits of the Skills extension: what may be published may be run. */
const MAX_FILES = 512;
const MAX_BYTES = 16 * 2 ** 20;

/** Throws `SCRIPT_REFUSED` where the digest differs, or where the skill is too large. */
export async function verifiedFiles(
  library: Pick<ServedLibrary, 'filesOf'>,
  entry: CatalogEntry,
): Promise<readonly GivenFile[]> {
  const listed = await filesOf(library, entry);
  const size = listed.reduce((sum, file) => sum + file.size, 0);
  if (listed.length > MAX_FILES || size > MAX_BYTES)
    throw refusal(
      entry,
      `it has ${listed.length} files of ${size} bytes; scripts are run of skills with at most ${MAX_FILES} files of ${MAX_BYTES} bytes`,
    );
  const files = await Promise.all(
    listed.map(async ({ path }) => {
      const bytes = await readSkillFile(entry, path, listed);
      if (bytes === null) throw refusal(entry, `${path} cannot be read`);
      return { path, bytes };
    }),
  );
  if (digestFiles(files) !== entry.digest)
    throw refusal(entry, 'its files have changed since they were indexed');
  return files;
}

export function refusal({ id, digest }: Pick<CatalogEntry, 'id' | 'digest'>, reason: string): GatewayError {
  return new GatewayError('SCRIPT_REFUSED', `Nothing of the skill ${id} was run: ${reason}.`, {
    data: { skill: id, digest },
  });
}
