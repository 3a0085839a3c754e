/**
 * Whether a prompt is the first of its session, for what `hint` says once. A file in the cache folder holds digests of the last
 * sessions; it is written only where something is pinned, and its loss means that a session reads its pins twice.
 */

import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readRegularSync } from '../../base/files/read.ts';
import { replaceFile } from '../../base/files/replace.ts';
import { parseJson } from '../../base/json.ts';

/** Sessions that are remembered. */
const SESSIONS = 200;
const FILE = 'hint-sessions.json';
const MAX_BYTES = 100_000;

const digests = z.array(z.string().max(64)).max(SESSIONS);

/** True once for each session. Throws a system error where it cannot be written. */
export function isFirstPrompt(cacheFolder: string, session: string): boolean {
  const file = join(cacheFolder, FILE);
  const digest = hash('sha256', session).slice(0, 16);
  const known = readDigests(file);
  if (known.includes(digest)) return false;
  mkdirSync(cacheFolder, { recursive: true });
  replaceFile(file, JSON.stringify([...known, digest].slice(-SESSIONS)), 0o600);
  return true;
}

function readDigests(file: string): readonly string[] {
  try {
    return (
      digests.safeParse(parseJson(Buffer.from(readRegularSync(file, MAX_BYTES)).toString('utf8'))).data ?? []
    );
  } catch {
    return [];
  }
}
