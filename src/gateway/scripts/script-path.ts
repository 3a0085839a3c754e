/** Which script is meant: only files below `scripts/` are run. */

import { basename, extname } from 'node:path';
import type { CatalogEntry } from '../../catalog/entry.ts';
import { GatewayError } from '../gateway.ts';
import { quoted } from '../resolve.ts';

const FOLDER = 'scripts/';
/** Paths told where the one asked for is none. */
const LISTED = 20;

/** Its path, or its name with or without extension where only one has it. Throws `SCRIPT_UNKNOWN`. */
export function scriptNamed(
  asked: string,
  { id }: Pick<CatalogEntry, 'id'>,
  paths: readonly string[],
): string {
  const scripts = paths.filter((path) => path.startsWith(FOLDER));
  const wanted = asked.trim().replace(/^\.\//, '');
  const ways: ((path: string) => string)[] = [
    (path) => path,
    (path) => path.slice(FOLDER.length),
    basename,
    (path) => basename(path, extname(path)),
  ];
  for (const nameOf of ways) {
    const [first, ...others] = scripts.filter((path) => nameOf(path) === wanted);
    if (first !== undefined && others.length === 0) return first;
  }
  const listed = scripts.slice(0, LISTED);
  const advice =
    listed.length === 0
      ? `It has no file below ${FOLDER}, and nothing else is run.`
      : `Its scripts are ${listed.map(quoted).join(', ')}.`;
  throw new GatewayError('SCRIPT_UNKNOWN', `The skill ${id} has no script ${quoted(asked)}. ${advice}`, {
    skill: id,
    scripts: listed,
  });
}
