/**
 * Whether the user trusts what a project's file says, remembered for each project's file as a digest of its settings. Without
 * trust its harmless settings are used and the others are left out. Asking belongs to the command line.
 */

import { existsSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { errorMessage } from '../base/errors.ts';
import { readRegularSync } from '../base/files/read.ts';
import { replaceFile } from '../base/files/replace.ts';
import { AppError } from './app-error.ts';
import {
  type FoundFile,
  isFolderInside,
  trustsProjects,
  type UserEnvironment,
  userConfigFolder,
} from './config/find.ts';
import { checkLayer, type Layer, readLayer } from './config/layers.ts';
import { digestSettings, type Settings, splitByTrust } from './config/untrusted.ts';

export interface ProjectTrust {
  /** Real path. */
  readonly file: string;
  /**
   * - `trusted`: by the user, or by `SKILLGATE_TRUST_PROJECT`.
   * - `changed`: other settings of the file were trusted.
   */
  readonly state: 'trusted' | 'untrusted' | 'changed';
  /** What trust is, or would be, given for, as the file has it: variables are named, not filled in. */
  readonly settings: Settings;
  /** What was trusted before it changed. */
  readonly before: Settings | null;
  /** Names of the settings: `sources[1]`, `scripts`. */
  readonly parts: readonly string[];
  readonly digest: string;
  /** What is used of the file. */
  readonly layer: Layer;
}

/** Parts named in one line. */
const NAMED = 3;

/** Throws `ConfigError` for an invalid file, also where it is wrong in settings that are left out. */
export function examineProject(found: FoundFile, around: UserEnvironment): ProjectTrust {
  const whole = readLayer(found);
  checkLayer(whole);
  const folder = dirname(found.file);
  const split = splitByTrust(whole.value, (path) => isFolderInside(folder, path, around.home));
  const digest = digestSettings(split.sensitive);
  const known = readTrusted(userConfigFolder(around)).get(found.file);
  const isTrusted = known?.digest === digest || trustsProjects(around.env);
  const state = isTrusted ? 'trusted' : known === undefined ? 'untrusted' : 'changed';
  return {
    file: found.file,
    state,
    settings: split.sensitive,
    before: state === 'changed' ? (known?.settings ?? null) : null,
    parts: split.parts,
    digest,
    layer: isTrusted ? whole : { ...whole, value: split.harmless, kept: split.kept },
  };
}

/** Remembers that the user trusts these settings. Throws `FILE_UNWRITABLE`. */
export function trustProject({ file, digest, settings }: ProjectTrust, around: UserEnvironment): void {
  const folder = userConfigFolder(around);
  write(
    folder,
    new Map([...readTrusted(folder), [file, { digest, settings, since: new Date().toISOString() }]]),
  );
}

/** One line that says what is left out; holds no text of the file but names of settings. */
export function leftOutLine({ file, parts, state }: ProjectTrust): string {
  const more = parts.length > NAMED ? ` and ${parts.length - NAMED} more` : '';
  const named = `${parts.slice(0, NAMED).join(', ')}${more}`;
  const since = state === 'changed' ? 'changed since you trusted it' : 'is not trusted';
  return `${basename(file)} ${since}, so these settings of it are ignored: ${named}. To see and trust it: skillgate trust.`;
}

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

type Trusted = z.infer<typeof entrySchema>;

export const trustFile = (configFolder: string) => join(configFolder, 'trusted.json');

/** By real path of the project's file. Empty without a file. Throws `FILE_UNTRUSTED` for one that others can change. */
export function readTrusted(configFolder: string): ReadonlyMap<string, Trusted> {
  const file = trustFile(configFolder);
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
    throw new AppError('FILE_UNWRITABLE', `${file} cannot be read: ${errorMessage(cause)} ${REMEDY}`, {
      cause,
    });
  }
}

const REMEDY = 'Remove it, and trust your projects again with skillgate trust.';

/** False where the project was not trusted. Throws `FILE_UNWRITABLE`. */
export function revoke(configFolder: string, project: string): boolean {
  const projects = new Map(readTrusted(configFolder));
  if (!projects.delete(project)) return false;
  write(configFolder, projects);
  return true;
}

function write(configFolder: string, projects: ReadonlyMap<string, Trusted>): void {
  const named = trustFile(configFolder);
  try {
    mkdirSync(configFolder, { recursive: true, mode: 0o700 });
    const file = existsSync(named) ? realpathSync(named) : named;
    const text = JSON.stringify({ version: 1, projects: Object.fromEntries(projects) }, null, 2);
    replaceFile(file, `${text}\n`, OWNER_ONLY);
  } catch (cause) {
    throw new AppError('FILE_UNWRITABLE', `${named} cannot be written: ${errorMessage(cause)}.`, { cause });
  }
}
