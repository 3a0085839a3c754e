/**
 * `skillgate.lock.json`: the resolved version of each fetched source, so that another machine gets the same skills.
 * A fetch that moves a source writes it. With `--frozen` it is only read, and sources stay at its versions.
 */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative } from 'node:path';
import * as z from 'zod';
import { errorMessage } from '../base/errors.ts';
import { replaceFile } from '../base/files/replace.ts';
import type { SourceStatus } from '../sources/fetched.ts';
import { AppError, ConfigError } from './app-error.ts';
import { readConfigFile } from './config/files.ts';
import { toRefusals } from './config/problems.ts';
import { readConfigText } from './config/text.ts';

const VERSION = 1;
const lockSchema = z.strictObject({
  version: z.literal(VERSION),
  sources: z.record(
    z.string(),
    z.strictObject({ kind: z.string(), origin: z.string(), resolved: z.string() }),
  ),
});

export type Lock = Readonly<
  Record<string, { readonly kind: string; readonly origin: string; readonly resolved: string }>
>;

/** Empty without a file. Throws `ConfigError` for an invalid file. */
export function readLock(file: string | null): Lock {
  if (file === null || !existsSync(file)) return {};
  const { value, valueAt, keyAt } = readConfigText(readConfigFile(file), file);
  const parsed = lockSchema.safeParse(value);
  if (parsed.success) return parsed.data.sources;
  throw new ConfigError(
    toRefusals(parsed.error.issues, value, {}).map(({ path, isKey, message }) => ({
      ...(isKey ? keyAt(path) : valueAt(path)),
      message: `${message} Delete the file, and skillgate sources refresh writes a new one.`,
    })),
  );
}

/**
 * Writes the current versions of the sources. Returns whether the file changed. `configured` names all sources of the
 * configuration: their entries stay without a status, and all other entries go.
 */
export function writeLock(
  file: string,
  statuses: readonly SourceStatus[],
  configured: readonly string[],
): boolean {
  const before = readLock(file);
  const kept = Object.entries(before).filter(([name]) => configured.includes(name));
  const now = statuses.flatMap(({ name, kind, origin, resolved }) =>
    resolved === null ? [] : [[name, { kind, origin: portable(origin, file), resolved }] as const],
  );
  // A source that changed its origin and was not fetched yet has no entry: the old one belongs to the old origin.
  const moved = new Set(
    statuses
      .filter(
        ({ name, origin }) => before[name] !== undefined && before[name].origin !== portable(origin, file),
      )
      .map(({ name }) => name),
  );
  const entries = new Map([...kept.filter(([name]) => !moved.has(name)), ...now]);
  const sources = Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = `${JSON.stringify({ version: VERSION, sources }, null, 2)}\n`;
  const old = existsSync(file) ? readConfigFile(file) : null;
  if (old === text || (old === null && entries.size === 0)) return false;
  writeWhole(file, text);
  return true;
}

/** The version at which a frozen source stays. Throws `LOCK_MISMATCH` for a source without an entry. */
export function findPin(lock: Lock, name: string): string {
  const entry = Object.hasOwn(lock, name) ? lock[name] : undefined;
  if (entry !== undefined) return entry.resolved;
  throw new AppError(
    'LOCK_MISMATCH',
    `The source ${name} is not in skillgate.lock.json, and --frozen adds no source: run skillgate sources refresh ${name} without --frozen, and commit the lockfile.`,
  );
}

/** Throws `LOCK_MISMATCH` for an entry with another origin. */
export function checkPin(lock: Lock, { name, origin }: SourceStatus, file: string): void {
  const locked = lock[name];
  if (locked === undefined || locked.origin === portable(origin, file)) return;
  throw new AppError(
    'LOCK_MISMATCH',
    `The source ${name} comes from ${origin}, but skillgate.lock.json has it from ${locked.origin}, and --frozen moves no source: run skillgate sources refresh ${name} without --frozen.`,
  );
}

/** A path below the lockfile's folder becomes relative: another machine may keep the project elsewhere. */
function portable(origin: string, file: string): string {
  if (!isAbsolute(origin)) return origin;
  const below = relative(dirname(file), origin).replaceAll('\\', '/');
  return below.startsWith('..') || isAbsolute(below) ? origin : `./${below}`;
}

/** Replaces a file in one step and keeps its mode. Follows a link instead of replacing it. Throws `FILE_UNWRITABLE`. */
export function writeWhole(file: string, text: string): void {
  try {
    const real = existsSync(file) ? realpathSync(file) : file;
    replaceFile(real, text, existsSync(real) ? statSync(real).mode : 0o666);
  } catch (cause) {
    throw new AppError('FILE_UNWRITABLE', `${basename(file)} cannot be written: ${errorMessage(cause)}.`, {
      cause,
    });
  }
}
