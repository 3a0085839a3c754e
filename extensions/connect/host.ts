/** What `connect` and `doctor` know about a host, and the shapes of entries that several hosts share. */

import { pathEntry } from './entries.ts';
import type { Launch } from './launch.ts';
import type { Listing } from './listing.ts';
import type { Location, Scope } from './locations.ts';

export type Format = 'json' | 'toml' | 'yaml';

/** A setting that `connect` adds to a file and takes out again. */
export interface Setting {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Adds the value to a list instead of replacing what is there. */
  readonly append?: true;
  /** For lists: the item that the value replaces. Default: an equal one. */
  readonly replaces?: (item: unknown) => boolean;
  /** The value is a list of names of skills, to which those in the file are added. */
  readonly isNames?: true;
  /** Writes only where the parent of the setting is already in the file: the host writes the rest of it itself. */
  readonly onlyWhereParentExists?: true;
}

interface Switch {
  readonly setting: Setting;
  /** Where the setting is not in the file of the servers. */
  readonly files?: Readonly<Partial<Record<Scope, readonly Location[]>>>;
}

export interface Host {
  /** As given on the command line. */
  readonly id: string;
  readonly name: string;
  readonly format: Format;
  /** Candidates by scope: the first that exists, else the first. */
  readonly files: Readonly<Partial<Record<Scope, readonly Location[]>>>;
  /** Its programs, as PATH has them. */
  readonly programs?: readonly string[];
  /** Its files, and folders of its files: what is in them other than skills and what `connect` wrote says that it is installed. */
  readonly signs: readonly Location[];
  /** What in the file holds the servers, by name. */
  readonly servers: readonly string[];
  /** Another object for files that already have it. */
  readonly serversWhereFound?: readonly string[];
  /** The servers are a list, and each has its name in it. */
  readonly listsServers?: true;
  /** What a file of servers needs that was not there before. */
  readonly newFile?: string;
  readonly entry: (launch: Launch) => Readonly<Record<string, unknown>>;
  /** Hides the host's own list of skills. */
  readonly hide?: Switch & {
    /** Why the list stays on unless the user says otherwise. Default: it is switched off. */
    readonly reservation?: string;
  };
  /** Lets the host call skillgate without asking, also in headless runs. */
  readonly allow?: Switch | { readonly inEntry: Readonly<Record<string, unknown>> };
  /** Prompt hooks, for hosts whose hooks can add a line to a prompt: `hooks.EVENT` in a file of JSON lists commands of a shell. */
  readonly hook?: {
    readonly event: string;
    /** In the unit of the host. */
    readonly timeout: number;
    readonly files: Readonly<Partial<Record<Scope, readonly Location[]>>>;
    /** What else the user has to do. */
    readonly remark?: string;
  };
  readonly listing: Listing;
  /** What the entry and its list follow: a version of the program that was run, or a page of documents; with the month. */
  readonly source: string;
}

const MEASURED = 'measured in ';

export const measuredIn = (version: string) => `${MEASURED}${version}, November 2026`;
export const documentedAt = (page: string) => `https://${page}, November 2026`;

/** The version of the program that was run; null for a host that is known from documents only. */
export const measuredVersion = ({ source }: Host): string | null =>
  source.startsWith(MEASURED) ? (source.slice(MEASURED.length).split(',')[0] ?? null) : null;

export const plain = ({ command, args }: Launch) => ({ command, args });
export const typed = ({ command, args }: Launch) => ({ type: 'stdio', command, args });

/** Every name and description is in the prompt, with the path of the skill. */
export const EVERYTHING: Listing = { entry: pathEntry, limit: null, overflow: 'omitted' };

/** What most hosts have in common. */
const USUAL = { format: 'json', servers: ['mcpServers'], entry: plain, listing: EVERYTHING } as const;

/** A host, without members that are as in `USUAL`. */
export type HostEntry = Omit<Host, keyof typeof USUAL> & Partial<Host>;

export const toHost = (entry: HostEntry): Host => ({ ...USUAL, ...entry });
