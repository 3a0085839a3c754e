/** What the user trusts: for each project's file a digest of its settings, in a file that only its owner can read. */

import { existsSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf } from '../../base/errors.ts';
import { readRegularSync } from '../../base/files/read.ts';
import { replaceFile } from '../../base/files/replace.ts';
import { AppError } from '../app-error.ts';

const MAX_BYTES = 16 * 2 ** 20;
const OWNER_ONLY = 0o600;
/** Bits of a mode that let others write. */
const WRITABLE = 0o022;

const entrySchema = z.object({
  /** SHA-256 of the settings as they are. */
  digest: z.string(),
  /** The settings, to show what changed. */
  settings: z.record(z.string(), z.unknown()),
  /** ISO 8601. */
  since: z.string(),
});
const fileSchema = z.object({ version: z.literal(1), projects: z.record(z.string(), entrySchema) });

export type Trusted = z.infer<typeof entrySchema>;

export const trustFileOf = (configFolder: string) => join(configFolder, 'trusted.json');

/** By real path of the project's file. Empty without a file. Throws `FILE_UNTRUSTED` for one that others can change. */
export function readTrusted(configFolder: string): ReadonlyMap<string, Trusted> {
  const file = trustFileOf(configFolder);
  if (!existsSync(file)) return new Map();
  const checkOwn = ({ mode, uid }: Stats) => {
    const own = process.getuid?.();
    if (own === undefined || ((mode & WRITABLE) === 0 && (uid === own || uid === 0))) return;
    throw new AppError('FILE_UNWRITABLE', `${file} can be changed by other users. ${REMEDY}`);
  };
  try {
    const text = Buffer.from(readRegularSync(file, MAX_BYTES, checkOwn)).toString('utf8');
    return new Map(Object.entries(fileSchema.parse(JSON.parse(text)).projects));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('FILE_UNWRITABLE', `${file} cannot be read: ${messageOf(cause)} ${REMEDY}`, { cause });
  }
}

const REMEDY = 'Remove it, and trust your projects again with skillgate trust.';

/** Throws `FILE_UNWRITABLE`. */
export function trust(configFolder: string, project: string, entry: Trusted): void {
  write(configFolder, new Map([...readTrusted(configFolder), [project, entry]]));
}

/** False where the project was not trusted. Throws `FILE_UNWRITABLE`. */
export function revoke(configFolder: string, project: string): boolean {
  const projects = new Map(readTrusted(configFolder));
  if (!projects.delete(project)) return false;
  write(configFolder, projects);
  return true;
}

function write(configFolder: string, projects: ReadonlyMap<string, Trusted>): void {
  const named = trustFileOf(configFolder);
  try {
    mkdirSync(configFolder, { recursive: true, mode: 0o700 });
    const file = existsSync(named) ? realpathSync(named) : named;
    const text = JSON.stringify({ version: 1, projects: Object.fromEntries(projects) }, null, 2);
    replaceFile(file, `${text}\n`, OWNER_ONLY);
  } catch (cause) {
    throw new AppError('FILE_UNWRITABLE', `${named} cannot be written: ${messageOf(cause)}.`, { cause });
  }
}
