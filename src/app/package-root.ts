/**
 * The folder of the package, in a checkout and in an installation: models and examples are below it; its version, and the
 * scripts of its threads.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

export function packageVersion(): string {
  const json: { version: string } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  return json.version;
}

/** The built script of a thread; null where the package is not built, and the work is done in this thread. */
export function threadScript(name: string): URL | null {
  const file = join(dirname(fileURLToPath(import.meta.url)), name);
  return existsSync(file) ? pathToFileURL(file) : null;
}
