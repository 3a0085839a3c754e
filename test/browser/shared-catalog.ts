/**
 * The catalog that the page is tested on: the real skills of the shared data where `SKILLGATE_SHARED_DATA` names it, unpacked and
 * indexed once for all files; else the example skills. `SKILLGATE_CATALOG` and `SKILLGATE_CATALOG_INDEX` name others.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';

const PROGRAM = join(import.meta.dirname, '../../dist/skillgate.cjs');

export default function setup(): (() => void) | undefined {
  const { SKILLGATE_CATALOG: given, SKILLGATE_SHARED_DATA: data } = process.env;
  if (given !== undefined) return undefined;
  const unpacked = join(data ?? '', 'catalog');
  const isUnpacked = data !== undefined && existsSync(unpacked);
  if (data === undefined || !(isUnpacked || existsSync(`${unpacked}.tar.xz`))) {
    process.stderr.write(
      'The shared catalog is absent (SKILLGATE_SHARED_DATA): the page is tested on the example skills.\n',
    );
    return undefined;
  }
  const folder = temporaryFolder();
  if (!isUnpacked) execFileSync('tar', ['-xJf', `${unpacked}.tar.xz`, '-C', folder]);
  const catalog = isUnpacked ? unpacked : join(folder, 'catalog');
  const index = process.env.SKILLGATE_CATALOG_INDEX ?? join(folder, 'index');
  execFileSync(process.execPath, [PROGRAM, 'index', '--skills', catalog, '--index', index], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // Inherited by the processes that run the tests.
  process.env.SKILLGATE_CATALOG = catalog;
  process.env.SKILLGATE_CATALOG_INDEX = index;
  return () => rmSync(folder, { recursive: true, force: true });
}
