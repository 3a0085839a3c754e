/** What `connect` changes: for each file of a host the text before and after. Reads files and writes none (`write.ts`). */

import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../src/app/app-error.ts';
import { errorMessage } from '../../src/base/errors.ts';
import { readInside, readRegularSync } from '../../src/base/files/read.ts';
import { isRecord, parseJson } from '../../src/base/json.ts';
import {
  fits,
  type HostText,
  holds,
  isBlocked,
  itemAt,
  namesIn,
  readHostText,
  valueAt,
  withoutSettings,
  withSettings,
} from './edit.ts';
import type { Format, Host, Setting } from './host.ts';
import { isHintCommand, type Launch, launchIn, withOldOptions } from './launch.ts';
import { findFirstLocation, type Location, type Scope, type System } from './locations.ts';

/** Largest file of a host, bytes: Claude Code keeps its history of projects in the file of its servers. */
export const MAX_BYTES = 64 * 2 ** 20;
/** The same for a file of a project. */
const MAX_PROJECT_BYTES = 1_048_576;
/** The name of the server in every host's file. */
const SERVER = 'skillgate';
/** A copy of the file from before the first change, next to it. */
export const backupFile = (file: string) => `${file}.skillgate-backup`;
/** The names that `connect` added to a list in the file: `--remove` takes out these alone. */
export const namesFile = (file: string) => backupFile(`${file}.names`);
/** How the backup of a file begins that did not exist. The rest names the topmost folder that was made for the file. */
const NO_FILE = 'There was no file here before skillgate connect.\n';
const FOLDER = 'Folders were made from ';
export const noFile = (folder: string | undefined) =>
  `${NO_FILE}${folder === undefined ? '' : `${FOLDER}${folder}\n`}`;

/** The topmost folder that was made for a file, by its backup; null where none was. */
function folderMadeFor(backup: string | null): string | null {
  const [, line = ''] = backup?.startsWith(NO_FILE) === true ? backup.split('\n') : [];
  return line.startsWith(FOLDER) ? line.slice(FOLDER.length) : null;
}

/** Whether `connect` made a file of the user, rather than changed it. */
export function isMadeByConnect(file: string, system: System): boolean {
  try {
    return readHostFile(backupFile(file), 'user', system)?.startsWith(NO_FILE) ?? false;
  } catch {
    return false;
  }
}

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
  /** Names that `connect` has added to a list in the file, with this change; empty where there is no such list. */
  readonly addedNames: readonly unknown[];
  /** Removed with the file, with what is above the file in it, if nothing else is in them: `connect` made it. Null where it made none. */
  readonly madeFolder: string | null;
}

interface Target {
  readonly file: string;
  readonly format: Format;
  readonly text: string | null;
  readonly value: unknown;
  /** Where the server is; null for files of other settings. */
  readonly entry: Setting | null;
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
  /** Of the skills that the host finds, for one whose list is hidden by name. Default: none. */
  readonly names?: readonly string[];
  /** Whether the host may call skillgate without asking. Default false: what is there stays. */
  readonly allow?: boolean;
  /** The command of the prompt hook, for hosts that have one. Default: no hook, and one that is there stays. */
  readonly hook?: string | undefined;
}

/** The changes that connect a host. Throws `HOST_FILE_INVALID` and `FILE_UNWRITABLE`. */
export function planConnect(host: Host, scope: Scope, system: System, wanted: Wanted): readonly FileChange[] {
  return listTargets(host, scope, system, wanted).map(({ file, format, text, value, ...target }) => {
    const { settings, unwanted, notes, entry } = target;
    const before = { file, format, text: text ?? newText(host, entry) };
    const additions = [...settings, ...unwanted];
    const addedBefore = readAddedNames(file, scope, system);
    const isOurFile =
      (entry !== null && asFound(value, entry).value !== undefined) ||
      additions.some((setting) => isOurs(value, withNames(setting, addedBefore)));
    const isFirst = !existsSync(backupFile(file)) || !isOurFile;
    const addedNames = additions.flatMap((setting) => listAddedNames(value, setting, addedBefore));
    const after = withSettings(before, settings);
    return { file, before: text, after, isFirst, notes, addedNames, madeFolder: null };
  });
}

/** The changes that disconnect a host. Files that only `connect` changed become what they were. */
export function planRemove(host: Host, scope: Scope, system: System): readonly FileChange[] {
  const wanted = { launch: { command: '', args: [] }, hide: true, allow: true, hook: '' };
  const changes = listTargets(host, scope, system, wanted).flatMap(
    ({ file, format, text, value, entry: server, settings: additions }): FileChange[] => {
      if (text === null) return [];
      const now = { file, format, text };
      const backup = readHostFile(backupFile(file), scope, system);
      const entry = server === null ? [] : [server];
      const addedNames = readAddedNames(file, scope, system);
      const settings = [...entry, ...additions.filter(({ path }) => !isInEntry(path, server))].map(
        (setting) => withNames(setting, addedNames),
      );
      // Without a backup only what names skillgate is ours for certain.
      const ours = settings
        .filter((setting) => (backup === null ? isNamed(setting) : true) && isOurs(value, setting))
        .map((setting) => asFound(value, setting));
      const kept = backup === null || backup.startsWith(NO_FILE) ? null : backup;
      // An entry of an earlier version, or one written by hand, is an entry of skillgate all the same.
      const original = kept === null ? null : withoutEntry({ ...now, text: kept }, entry);
      const madeFolder = folderMadeFor(backup);
      const change = { file, before: text, isFirst: false, notes: [], addedNames: [], madeFolder };
      if (ours.length === 0) return [];
      if (backup !== null && again(original ?? newText(host, server), now, ours) === text)
        return [{ ...change, after: original }];
      const before = original === null ? null : readHostText({ ...now, text: original });
      return [{ ...change, after: withoutSettings(now, ours, before) }];
    },
  );
  // The last first: the folders of a later file were made in those of an earlier one.
  return changes.reverse();
}

const newText = ({ newFile = '' }: Host, entry: Target['entry']) => (entry === null ? '' : newFile);

const isInEntry = (path: readonly string[], entry: Target['entry']) =>
  entry !== null && isDeepStrictEqual(path.slice(0, entry.path.length), entry.path);

/** The backup without a server of this name. */
function withoutEntry(backup: HostText, entry: readonly Setting[]): string {
  const value = readHostText(backup);
  const there = entry
    .map((setting) => asFound(value, setting))
    .filter((setting) => setting.value !== undefined);
  return there.length > 0 ? withoutSettings(backup, there, null) : backup.text;
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
export function findConnection(host: Host, scope: Scope, system: System): Connection | null {
  const locations = host.files[scope];
  if (locations === undefined) return null;
  const file = findFirstLocation(locations, system);
  const text = readHostFile(file, scope, system);
  if (text === null) return null;
  const value = readHostText({ file, format: host.format, text });
  const { value: entry } = asFound(value, serverSetting(host, value));
  return typeof entry === 'object' && entry !== null ? { host, scope, file, entry: { ...entry } } : null;
}

/** Whether the host's own list of skills is switched off by the setting that `connect` writes. */
export function isListHidden(
  { hide, files, format }: Host,
  system: System,
  names: readonly string[],
): boolean {
  if (hide === undefined) return false;
  return (['user', 'project'] as const).some((scope) => {
    const locations = (hide.files ?? files)[scope];
    if (locations === undefined) return false;
    const file = findFirstLocation(locations, system);
    const value = readHostText({ file, format, text: readHostFile(file, scope, system) ?? '' });
    return holds(value, withNames(hide.setting, names));
  });
}

/** The command with which the host runs `skillgate hint` before each prompt; null where it does not, or its file cannot be read. */
export function findHookCommand(host: Host, scope: Scope, system: System): string | null {
  const locations = host.hook?.files[scope];
  if (host.hook === undefined || locations === undefined) return null;
  try {
    const file = findFirstLocation(locations, system);
    const value = readHostText({ file, format: 'json', text: readHostFile(file, scope, system) ?? '' });
    const setting = hookSetting(host.hook, '');
    const { value: group } = asFound(value, setting);
    return groupCommand(group);
  } catch {
    return null;
  }
}

/** The setting that hides the skills of these names, where the host hides each by name. */
const withNames = (setting: Setting, names: readonly unknown[]): Setting =>
  setting.isNames === true ? { ...setting, value: names } : setting;

function hookSetting({ event, timeout }: NonNullable<Host['hook']>, command: string): Setting {
  return {
    path: ['hooks', event],
    value: { hooks: [{ type: 'command', command, timeout }] },
    append: true,
    replaces: isOwnHook,
  };
}

/** A group with more commands than ours belongs to someone else. */
const isOwnHook = (group: unknown) => isHintCommand(groupCommand(group) ?? '');

/** The one command of a group of hooks. */
function groupCommand(group: unknown): string | null {
  const commands = valueAt(group, ['hooks']);
  if (!Array.isArray(commands) || commands.length !== 1) return null;
  const command = valueAt(commands[0], ['command']);
  return typeof command === 'string' ? command : null;
}

/** The files of the server, of the setting that hides the host's own list of skills, and of the prompt hook; some are one. */
function listTargets(host: Host, scope: Scope, system: System, wanted: Wanted): Target[] {
  const targetAt = (file: string, format: Format): Target => {
    const text = readHostFile(file, scope, system);
    const value = readHostText({ file, format, text: text ?? '' });
    return { file, format, text, value, entry: null, settings: [], unwanted: [], notes: [] };
  };
  const own = targetAt(resolveFile(host, host.files[scope], scope, system), host.format);
  const entry = serverSetting(host, own.value);
  const isMisfit = entry.append === true ? !fits(own.value, entry) : isBlocked(own.value, entry.path);
  if (isMisfit) throw noServers(own.file, entry);
  own.settings.push(...entrySettings(host, entry, own.value, wanted));
  const targets: Target[] = [{ ...own, entry }];
  const additions = listAdditions(host, wanted).flatMap((addition) => {
    const locations = addition.files[scope];
    return locations === undefined ? [] : { ...addition, file: findFirstLocation(locations, system) };
  });
  for (const { file, format, setting } of additions.filter(({ isWanted }) => isWanted)) {
    let target = targets.find((known) => known.file === file);
    if (target === undefined) {
      target = targetAt(file, format);
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

/** Keys of an entry that start the server, in the shape of any host. */
const LAUNCH_KEYS = new Set(['command', 'args', 'cmd']);

/** A new entry as a whole; of one that is there the command alone, with the options that it has, and what it lacks. */
function entrySettings(host: Host, server: Setting, file: unknown, wanted: Wanted): Setting[] {
  const { allow } = host;
  const allowed = wanted.allow === true && allow !== undefined && 'inEntry' in allow ? allow.inEntry : {};
  const { value: old } = asFound(file, server);
  if (!isRecord(old)) return [{ ...server, value: { ...host.entry(wanted.launch), ...allowed } }];
  const entry = { ...host.entry(withOldOptions(wanted.launch, launchIn(old))), ...allowed };
  const changed = Object.entries(entry).filter(
    ([key]) => LAUNCH_KEYS.has(key) || Object.hasOwn(allowed, key) || !Object.hasOwn(old, key),
  );
  return server.append === true
    ? [{ ...server, value: { ...old, ...Object.fromEntries(changed) } }]
    : changed.map(([key, value]) => ({ path: [...server.path, key], value }));
}

interface Addition {
  readonly files: Host['files'];
  readonly format: Format;
  readonly setting: Setting;
  readonly isWanted: boolean;
}

/** What `connect` can write next to the server. */
function listAdditions({ hide, allow, hook, files, format }: Host, wanted: Wanted): readonly Addition[] {
  const additions: Addition[] = [];
  if (allow !== undefined && 'setting' in allow && wanted.allow === true)
    additions.push({ files: allow.files ?? files, format, setting: allow.setting, isWanted: true });
  if (hide !== undefined)
    additions.push({
      files: hide.files ?? files,
      format,
      setting: withNames(hide.setting, wanted.names ?? []),
      isWanted: wanted.hide && !(hide.setting.isNames === true && wanted.names?.length === 0),
    });
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

/** Where the file has the server. */
const serverSetting = (host: Host, file: unknown): Setting =>
  host.listsServers === true
    ? { path: host.servers, value: {}, append: true, replaces: (item) => valueAt(item, ['name']) === SERVER }
    : { path: [...serversIn(host, file), SERVER], value: {} };

const isServer = ({ path }: Setting) => path.at(-1) === SERVER;

/** Whether the setting says whose it is, whatever its command is. */
const isNamed = (setting: Setting) => isServer(setting) || setting.replaces !== undefined;

const isOurs = (value: unknown, setting: Setting) =>
  setting.isNames === true
    ? namesIn(valueAt(value, setting.path)).some((name) => namesIn(setting.value).includes(name))
    : isNamed(setting)
      ? asFound(value, setting).value !== undefined
      : holds(value, setting);

function readAddedNames(file: string, scope: Scope, system: System): readonly unknown[] {
  return namesIn(parseJson(readHostFile(namesFile(file), scope, system) ?? ''));
}

/** Names of the list that a host's file has, or gets now, from `connect`. */
function listAddedNames(value: unknown, setting: Setting, addedBefore: readonly unknown[]): unknown[] {
  if (setting.isNames !== true) return [];
  const names = namesIn(valueAt(value, setting.path));
  const added = namesIn(setting.value).filter((name) => !names.includes(name));
  return [...addedBefore.filter((name) => names.includes(name)), ...added];
}

/** The setting with the value that the file has of it. */
function asFound(value: unknown, setting: Setting): Setting {
  if (!isNamed(setting)) return setting;
  const found = valueAt(value, setting.path);
  const own = setting.append === true && Array.isArray(found) ? found[itemAt(value, setting)] : undefined;
  return { ...setting, value: setting.append === true ? own : found };
}

function resolveFile(
  host: Host,
  locations: readonly Location[] | undefined,
  scope: Scope,
  system: System,
): string {
  if (locations !== undefined) return findFirstLocation(locations, system);
  const other = scope === 'user' ? 'project' : 'user';
  throw new AppError('SETTING_INVALID', `${host.name} has no settings of a ${scope}. Use --scope ${other}.`);
}

/** The text of a file; null where there is none. A project's file is no link out of the project. */
function readHostFile(file: string, scope: Scope, { project, home }: System): string | null {
  try {
    const bytes =
      scope === 'project' && project !== home
        ? readInside(project, file, { maxBytes: MAX_PROJECT_BYTES })
        : readRegularSync(file, MAX_BYTES);
    return Buffer.from(bytes).toString('utf8');
  } catch (cause) {
    if (!existsSync(file)) return null;
    throw new AppError('HOST_FILE_INVALID', `${file} cannot be read: ${errorMessage(cause)}.`, { cause });
  }
}

function noServers(file: string, { path, append }: Setting): AppError {
  const [place, shape] =
    append === true
      ? [path, 'a list of servers']
      : [path.slice(0, -1), 'an object that maps server names to servers'];
  return new AppError(
    'HOST_FILE_INVALID',
    `${file} cannot be edited: ${place.join('.')} is not ${shape}. Nothing was written. Repair the file first.`,
  );
}
