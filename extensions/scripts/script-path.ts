/** Finds the script that a caller names. Only files below `scripts/` are run. */

import { basename, extname } from 'node:path';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { quoted } from '../../src/gateway/resolve.ts';
import type { CatalogEntry } from '../../src/sources/scan/entry.ts';

const FOLDER = 'scripts/';
/** Paths listed where the requested script does not exist. */
const LISTED = 20;

/** By path, or by a unique name with or without extension. Throws `SCRIPT_UNKNOWN`. */
export function scriptNamed(
  asked: string,
  { id }: Pick<CatalogEntry, 'id'>,
  paths: readonly string[],
): string {
  const scripts = paths.filter((path) => path.startsWith(FOLDER));
  const wanted = asked.trim().replace(/^\.\//, '');
  const namings: ((path: string) => string)[] = [
    (path) => path,
    (path) => path.slice(FOLDER.length),
    basename,
    (path) => basename(path, extname(path)),
  ];
  for (const nameOf of namings) {
    const [first, ...others] = scripts.filter((path) => nameOf(path) === wanted);
    if (first !== undefined && others.length === 0) return first;
  }
  const listed = scripts.slice(0, LISTED);
  const advice =
    listed.length === 0
      ? `It has no file below ${FOLDER}, and nothing else is run.`
      : `Its scripts are ${listed.map(quoted).join(', ')}.`;
  throw new GatewayError('SCRIPT_UNKNOWN', `The skill ${id} has no script ${quoted(asked)}. ${advice}`, {
    data: { skill: id, scripts: listed },
  });
}
