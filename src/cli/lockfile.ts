/**
 * `skillgate.lock.json`: what each fetched source was resolved to, so that another machine gets the same skills.
 * Written after a fetch that moved a source; with `--frozen` it is only read, and sources stay at what it says.
 */

import { existsSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative } from 'node:path';
import * as z from 'zod';
import type { SourceStatus } from '../catalog/sources/fetched.ts';
import { ConfigError } from './config/errors.ts';
import { refusalsOf } from './config/problems.ts';
import { readConfigText } from './config/text.ts';
import { CliError, EXIT } from './exit-codes.ts';

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

/** Empty where there is no file. Throws `ConfigError` for one that is none. */
export function readLock(file: string | null): Lock {
  if (file === null || !existsSync(file)) return {};
  const { value, valueAt, keyAt } = readConfigText(readFileSync(file, 'utf8'), file);
  const parsed = lockSchema.safeParse(value);
  if (parsed.success) return parsed.data.sources;
  throw new ConfigError(
    refusalsOf(parsed.error.issues, value, {}).map(({ path, isKey, message }) => ({
      ...(isKey ? keyAt(path) : valueAt(path)),
      message: `${message} Delete the file to have it made again by skillgate sources refresh.`,
    })),
  );
}

/**
 * Writes what the sources are now, where that differs; true where it did. `configured` names all sources of the
 * configuration: entries of those that were not looked at stay, those of others go.
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
  // A source of another origin that could not be fetched yet has no entry: the old one is not its own.
  const strange = new Set(
    statuses
      .filter(
        ({ name, origin }) => before[name] !== undefined && before[name].origin !== portable(origin, file),
      )
      .map(({ name }) => name),
  );
  const entries = new Map([...kept.filter(([name]) => !strange.has(name)), ...now]);
  const sources = Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = `${JSON.stringify({ version: VERSION, sources }, null, 2)}\n`;
  const old = existsSync(file) ? readFileSync(file, 'utf8') : null;
  if (old === text || (old === null && entries.size === 0)) return false;
  writeWhole(file, text);
  return true;
}

/** What a frozen source may not move from. Throws `CliError` with `usage` where the lockfile does not know it. */
export function pinOf(lock: Lock, name: string): string {
  const entry = Object.hasOwn(lock, name) ? lock[name] : undefined;
  if (entry !== undefined) return entry.resolved;
  throw new CliError(
    EXIT.usage,
    `The source ${name} is not in skillgate.lock.json, and --frozen adds none: run skillgate sources refresh ${name} without --frozen, and commit the lockfile.`,
  );
}

/** Refuses an entry that was made for another origin. */
export function checkPin(lock: Lock, { name, origin }: SourceStatus, file: string): void {
  const locked = lock[name];
  if (locked === undefined || locked.origin === portable(origin, file)) return;
  throw new CliError(
    EXIT.usage,
    `The source ${name} comes from ${origin}, but skillgate.lock.json has it from ${locked.origin}, and --frozen moves none: run skillgate sources refresh ${name} without --frozen.`,
  );
}

/** A path below the lockfile's folder is written from there on: the project may lie elsewhere on another machine. */
function portable(origin: string, file: string): string {
  if (!isAbsolute(origin)) return origin;
  const below = relative(dirname(file), origin).replaceAll('\\', '/');
  return below.startsWith('..') || isAbsolute(below) ? origin : `./${below}`;
}

/** In one step: nobody reads half a file. What a link leads to is replaced, not the link; the mode stays. */
export function writeWhole(file: string, text: string): void {
  try {
    const real = existsSync(file) ? realpathSync(file) : file;
    const draft = `${real}.${process.pid}.tmp`;
    writeFileSync(draft, text, { mode: existsSync(real) ? statSync(real).mode : 0o666 });
    renameSync(draft, real);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(EXIT.failed, `${basename(file)} cannot be written: ${reason}.`, cause);
  }
}
