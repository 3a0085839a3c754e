/** What `connect` changes: for each file of a host the text before and after. Reads files and writes none (`write.ts`). */

import { existsSync } from 'node:fs';
import { AppError } from '../app/app-error.ts';
import { messageOf } from '../base/errors.ts';
import { readRegularSync } from '../base/files/read.ts';
import {
  fits,
  holds,
  isBlocked,
  itemAt,
  readHostText,
  valueAt,
  withoutSettings,
  withSettings,
} from './edit.ts';
import type { Format, Host, Setting } from './hosts.ts';
import { isHintCommand, type Launch } from './launch.ts';
import { firstOf, type Location, type Scope, type System } from './locations.ts';

/** Largest file of a host, bytes: Claude Code keeps its history of projects in the file of its servers. */
const MAX_BYTES = 64 * 2 ** 20;
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
  readonly value: unknown;
  readonly settings: Setting[];
  /** Settings of this file that an earlier `connect` may have written, and this one does not. */
  readonly unwanted: Setting[];
  readonly notes: string[];
}

/** What `connect` writes. */
export interface Wanted {
  readonly launch: Launch;
  /** Whether the host's own list of skills is switched off. */
  readonly hide: boolean;
  /** The command of the prompt hook, for hosts that have one. Default: no hook, and one that is there stays. */
  readonly hook?: string | undefined;
}

/** The changes that connect a host. Throws `HOST_FILE_INVALID` and `FILE_UNWRITABLE`. */
export function planConnect(host: Host, scope: Scope, system: System, wanted: Wanted): readonly FileChange[] {
  return targetsOf(host, scope, system, wanted).map(({ file, format, text, value, ...target }) => {
    const { settings, unwanted, notes } = target;
    const before = { file, format, text: text ?? '' };
    const isOurFile = [...settings, ...unwanted].some((setting) => isOurs(value, setting));
    const isFirst = !existsSync(backupOf(file)) || !isOurFile;
    return { file, before: text, after: withSettings(before, settings), isFirst, notes };
  });
}

/** The changes that disconnect a host. Files that only `connect` changed become what they were. */
export function planRemove(host: Host, scope: Scope, system: System): readonly FileChange[] {
  const wanted = { launch: { command: '', args: [] }, hide: true, hook: '' };
  return targetsOf(host, scope, system, wanted).flatMap(
    ({ file, format, text, value, settings }): FileChange[] => {
      if (text === null) return [];
      const now = { file, format, text };
      const backup = textOf(backupOf(file));
      // Without a backup only what names skillgate is ours for certain.
      const ours = settings
        .filter((setting) => (backup === null ? isNamed(setting) : true) && isOurs(value, setting))
        .map((setting) => asFound(value, setting));
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

/** The command with which the host runs `skillgate hint` before each prompt; null where it does not, or its file cannot be read. */
export function hookCommandOf(host: Host, scope: Scope, system: System): string | null {
  const locations = host.hook?.files[scope];
  if (host.hook === undefined || locations === undefined) return null;
  try {
    const file = firstOf(locations, system);
    const value = readHostText({ file, format: 'json', text: textOf(file) ?? '' });
    const setting = hookSetting(host.hook, '');
    const { value: group } = asFound(value, setting);
    return commandOf(group);
  } catch {
    return null;
  }
}

function hookSetting({ event, timeout }: NonNullable<Host['hook']>, command: string): Setting {
  return {
    path: ['hooks', event],
    value: { hooks: [{ type: 'command', command, timeout }] },
    append: true,
    replaces: isOwnHook,
  };
}

/** A group with more commands than ours belongs to somebody else. */
const isOwnHook = (group: unknown) => isHintCommand(commandOf(group) ?? '');

/** The one command of a group of hooks. */
function commandOf(group: unknown): string | null {
  const commands = valueAt(group, ['hooks']);
  if (!Array.isArray(commands) || commands.length !== 1) return null;
  const command = valueAt(commands[0], ['command']);
  return typeof command === 'string' ? command : null;
}

/** The files of the server, of the setting that hides the host's own list of skills, and of the prompt hook; some are one. */
function targetsOf(host: Host, scope: Scope, system: System, wanted: Wanted): Target[] {
  const own = targetOf(fileOf(host, host.files[scope], scope, system), host.format);
  const servers = serversIn(host, own.value);
  const server: Setting = { path: [...servers, SERVER], value: host.entry(wanted.launch) };
  if (isBlocked(own.value, server.path)) throw notAnObject(own.file, servers);
  own.settings.push(server);
  const targets = [own];
  const additions = additionsOf(host, wanted).map((addition) => ({
    ...addition,
    file: fileOf(host, addition.files[scope], scope, system),
  }));
  for (const { file, format, setting } of additions.filter(({ isWanted }) => isWanted)) {
    let target = targets.find((known) => known.file === file);
    if (target === undefined) {
      target = targetOf(file, format);
      targets.push(target);
    }
    if (holds(target.value, setting) || fits(target.value, setting)) target.settings.push(setting);
    else if (setting.onlyWhereParentExists !== true)
      target.notes.push(`${setting.path.join('.')} in ${file} has rules of your own and stays as it is.`);
  }
  for (const { file, setting } of additions.filter(({ isWanted }) => !isWanted))
    targets.find((known) => known.file === file)?.unwanted.push(setting);
  return targets;
}

function targetOf(file: string, format: Format): Target {
  const text = textOf(file);
  const value = readHostText({ file, format, text: text ?? '' });
  return { file, format, text, value, settings: [], unwanted: [], notes: [] };
}

interface Addition {
  readonly files: Host['files'];
  readonly format: Format;
  readonly setting: Setting;
  readonly isWanted: boolean;
}

/** What `connect` can write besides the server. */
function additionsOf({ hide, hook, files, format }: Host, wanted: Wanted): readonly Addition[] {
  const additions: Addition[] = [];
  if (hide !== undefined)
    additions.push({ files: hide.files ?? files, format, setting: hide.setting, isWanted: wanted.hide });
  if (hook !== undefined) {
    const setting = hookSetting(hook, wanted.hook ?? '');
    additions.push({ files: hook.files, format: 'json', setting, isWanted: wanted.hook !== undefined });
  }
  return additions;
}

const serversIn = ({ servers, serversWhereFound }: Host, value: unknown) =>
  serversWhereFound !== undefined && valueAt(value, serversWhereFound) !== undefined
    ? serversWhereFound
    : servers;

const isServer = ({ path }: Setting) => path.at(-1) === SERVER;

/** Whether the setting says whose it is, whatever its command is. */
const isNamed = (setting: Setting) => isServer(setting) || setting.replaces !== undefined;

const isOurs = (value: unknown, setting: Setting) =>
  isNamed(setting) ? asFound(value, setting).value !== undefined : holds(value, setting);

/** The setting with the value that the file has of it. */
function asFound(value: unknown, setting: Setting): Setting {
  if (!isNamed(setting)) return setting;
  const found = valueAt(value, setting.path);
  const own = setting.append === true && Array.isArray(found) ? found[itemAt(value, setting)] : undefined;
  return { ...setting, value: setting.append === true ? own : found };
}

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
    return Buffer.from(readRegularSync(file, MAX_BYTES)).toString('utf8');
  } catch (cause) {
    if (!existsSync(file)) return null;
    throw new AppError('HOST_FILE_INVALID', `${file} cannot be read: ${messageOf(cause)}.`, { cause });
  }
}

const notAnObject = (file: string, path: readonly string[]) =>
  new AppError(
    'HOST_FILE_INVALID',
    `${file} cannot be edited: ${path.join('.')} is not an object that maps server names to servers. Nothing was written. Repair the file first.`,
  );
