/** What `connect` changes: for each file of a host the text before and after. Reads files and writes none (`write.ts`). */

import { existsSync } from 'node:fs';
import { messageOf } from '../../errors/public.ts';
import { readRegularSync } from '../../files/public.ts';
import { AppError } from '../app-error.ts';
import { fits, holds, isBlocked, readHostText, valueAt, withoutSettings, withSettings } from './edit.ts';
import type { Format, Host, Scope, Setting } from './hosts.ts';
import type { Launch } from './launch.ts';
import { firstOf, type Location, type System } from './locations.ts';

/** Largest file of a host, bytes: Claude Code keeps its history of projects in the file of its servers. */
const MOST_BYTES = 64 * 2 ** 20;
/** The name of the server in every host's file. */
const SERVER = 'skillgate';
/** A copy of the file from before the first change, next to it. */
export const backupOf = (file: string) => `${file}.skillgate-backup`;
/** The content of the backup of a file that did not exist. */
export const NO_FILE = 'There was no file here before skillgate connect.\n';

export interface FileChange {
  /** Absolute. */
  readonly file: string;
  /** Null where there is no file. */
  readonly before: string | null;
  /** Equal to `before` where nothing has to change; null removes the file. */
  readonly after: string | null;
  /** Whether `before` is what a later `--remove` brings back. */
  readonly isFirst: boolean;
  /** Settings that are left out, and why. */
  readonly notes: readonly string[];
}

interface Target {
  readonly file: string;
  readonly format: Format;
  readonly text: string | null;
  readonly settings: readonly Setting[];
  readonly notes: readonly string[];
}

/** The changes that connect a host. Throws `HOST_FILE_INVALID` and `FILE_UNWRITABLE`. */
export function planConnect(
  host: Host,
  scope: Scope,
  system: System,
  { launch, hide }: { readonly launch: Launch; readonly hide: boolean },
): readonly FileChange[] {
  return targetsOf(host, scope, system, launch, hide).map(({ file, format, text, settings, notes }) => {
    const before = { file, format, text: text ?? '' };
    const value = readHostText(before);
    const isFirst = !existsSync(backupOf(file)) || !settings.some((setting) => isOurs(value, setting));
    return { file, before: text, after: withSettings(before, settings), isFirst, notes };
  });
}

/** The changes that disconnect a host. Files that only `connect` changed become what they were. */
export function planRemove(host: Host, scope: Scope, system: System): readonly FileChange[] {
  return targetsOf(host, scope, system, { command: '', args: [] }, true).flatMap(
    ({ file, format, text, settings }): FileChange[] => {
      if (text === null) return [];
      const now = { file, format, text };
      const value = readHostText(now);
      const backup = textOf(backupOf(file));
      // Without a backup only the server is ours for certain.
      const ours = settings
        .filter((setting) => (backup === null ? isServer(setting) : true) && isOurs(value, setting))
        .map((setting) =>
          isServer(setting) ? { ...setting, value: valueAt(value, setting.path) } : setting,
        );
      const original = backup === null || backup === NO_FILE ? null : backup;
      const change = { file, before: text, isFirst: false, notes: [] };
      if (ours.length === 0) return [];
      if (backup !== null && again(original ?? '', now, ours) === text)
        return [{ ...change, after: original }];
      const before = original === null ? null : readHostText({ ...now, text: original });
      return [{ ...change, after: withoutSettings(now, ours, before) }];
    },
  );
}

/** The text that `connect` makes of an earlier one; null where it can no longer be read. */
function again(
  text: string,
  now: { readonly file: string; readonly format: Format },
  ours: readonly Setting[],
) {
  try {
    return withSettings({ ...now, text }, ours);
  } catch {
    return null;
  }
}

/** A server of this host's files that starts skillgate. */
export interface Connection {
  readonly host: Host;
  readonly scope: Scope;
  readonly file: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** The connection of a host, or null. Throws `HOST_FILE_INVALID`. */
export function connectionOf(host: Host, scope: Scope, system: System): Connection | null {
  const locations = host.files[scope];
  if (locations === undefined) return null;
  const file = firstOf(locations, system);
  const text = textOf(file);
  if (text === null) return null;
  const value = readHostText({ file, format: host.format, text });
  const entry = valueAt(value, [...serversIn(host, value), SERVER]);
  return typeof entry === 'object' && entry !== null ? { host, scope, file, entry: { ...entry } } : null;
}

/** Whether the host's own list of skills is switched off by the setting that `connect` writes. */
export function isListHidden({ hide, files, format }: Host, system: System): boolean {
  if (hide === undefined) return false;
  return (['user', 'project'] as const).some((scope) => {
    const locations = (hide.files ?? files)[scope];
    if (locations === undefined) return false;
    const file = firstOf(locations, system);
    return holds(readHostText({ file, format, text: textOf(file) ?? '' }), hide.setting);
  });
}

/** The server's file, and the file with the setting that hides the host's own list of skills. */
function targetsOf(host: Host, scope: Scope, system: System, launch: Launch, hide: boolean): Target[] {
  const file = fileOf(host, host.files[scope], scope, system);
  const text = textOf(file);
  const value = readHostText({ file, format: host.format, text: text ?? '' });
  const servers = serversIn(host, value);
  const server: Setting = { path: [...servers, SERVER], value: host.entry(launch) };
  if (isBlocked(value, server.path)) throw notAnObject(file, servers);
  const own: Target = { file, format: host.format, text, settings: [server], notes: [] };
  if (host.hide === undefined || !hide) return [own];
  const { setting, files } = host.hide;
  const other = files === undefined ? file : fileOf(host, files[scope], scope, system);
  const otherText = other === file ? text : textOf(other);
  const otherValue =
    other === file ? value : readHostText({ file: other, format: host.format, text: otherText ?? '' });
  const wanted = holds(otherValue, setting) || fits(otherValue, setting) ? [setting] : [];
  const notes =
    wanted.length > 0 || setting.onlyWhereParentExists === true
      ? []
      : [`${setting.path.join('.')} in ${other} has rules of your own and stays as it is.`];
  if (other === file) return [{ ...own, settings: [server, ...wanted], notes }];
  return [own, { file: other, format: host.format, text: otherText, settings: wanted, notes }];
}

const serversIn = ({ servers, serversWhereFound }: Host, value: unknown) =>
  serversWhereFound !== undefined && valueAt(value, serversWhereFound) !== undefined
    ? serversWhereFound
    : servers;

const isServer = ({ path }: Setting) => path.at(-1) === SERVER;

/** A server of our name counts whatever its command is. */
const isOurs = (value: unknown, setting: Setting) =>
  isServer(setting) ? valueAt(value, setting.path) !== undefined : holds(value, setting);

function fileOf(
  host: Host,
  locations: readonly Location[] | undefined,
  scope: Scope,
  system: System,
): string {
  if (locations !== undefined) return firstOf(locations, system);
  const other = scope === 'user' ? 'project' : 'user';
  throw new AppError('SETTING_INVALID', `${host.name} has no settings of a ${scope}. Use --scope ${other}.`);
}

/** The text of a file; null where there is none. */
function textOf(file: string): string | null {
  try {
    return Buffer.from(readRegularSync(file, MOST_BYTES)).toString('utf8');
  } catch (cause) {
    if (!existsSync(file)) return null;
    throw new AppError('HOST_FILE_INVALID', `${file} cannot be read: ${messageOf(cause)}.`, { cause });
  }
}

const notAnObject = (file: string, path: readonly string[]) =>
  new AppError(
    'HOST_FILE_INVALID',
    `${file} cannot be edited: ${path.join('.')} is no object with servers by name. Nothing was written. Repair the file first.`,
  );
