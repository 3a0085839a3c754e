/**
 * What an extension needs of the core: what it may add, the settings that carry the list of extensions, and the types of the
 * rooms below. The program's entry hands the list down; no extension is loaded before its setting, its command, its profile
 * or one of its methods asks for it.
 */

import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { Command } from 'commander';
import type { Embedder } from '../../index/embedder.ts';
import type { VectorMode } from '../../index/vectors/choose.ts';
import type { ServedLibrary } from '../catalog/library.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Observer } from '../gateway/intercept.ts';
import type { Grants, Policy } from '../gateway/policy/policy.ts';
import type { Principal } from '../gateway/policy/principal.ts';
import type { Scripts } from '../gateway/scripts.ts';
import type { Log } from '../mcp/errors.ts';
import type { OlderMethods, OpenOlderHandlers } from '../mcp/older-methods.ts';
import type { SkillPublisher } from '../mcp/published-skills.ts';
import type { OpenScripts, ScriptTools } from '../mcp/script-tools.ts';
import type { ServerFeature } from '../mcp/server.ts';
import type { ToolProfile } from '../mcp/tools/profile.ts';
import type { Learning } from '../search/learned.ts';
import type {
  Counter,
  HttpFlags,
  HttpServing,
  Page,
  RequestHandler,
  RequestHandlerOptions,
  TokenStore,
} from '../serve/http.ts';
import type { LogFile } from '../serve/telemetry/log-file.ts';
import type { Severity } from '../skills/skill.ts';
import type { FetchedSource } from '../sources/fetched.ts';
import type { NamedRoot } from '../sources/scan/roots.ts';
import type { CatalogOptions, OpenCatalog } from './catalog.ts';
import type { Config, SourceConfig } from './config/schema.ts';
import type { ConfigFlags, ProcessEnvironment } from './configured.ts';
import type { SharedSettings } from './index-folders.ts';
import type { SourceSettings } from './source-settings.ts';

/** The types of the core that extensions use; they import the values where these are defined, each when it is needed. */
export type { Embedder } from '../../index/embedder.ts';
export type { LexicalQuery } from '../../index/lexical/query/query.ts';
export type { Reader } from '../../index/reader/reader.ts';
export type { VectorMode } from '../../index/vectors/choose.ts';
export type { Library, LibraryView, ServedLibrary } from '../catalog/library.ts';
export type { ChangeStatus, Changes } from '../catalog/schedule.ts';
export type { Gateway } from '../gateway/gateway.ts';
export type { Interceptor, Observer } from '../gateway/intercept.ts';
export type { Policy } from '../gateway/policy/policy.ts';
export type { ChangeBus } from '../mcp/changes.ts';
export type { OlderHandlers, OpenOlderHandlers } from '../mcp/older-methods.ts';
export type { OpenScripts, ScriptCall, ScriptToolDeclaration, ScriptTools } from '../mcp/script-tools.ts';
export type { ServerFeature } from '../mcp/server.ts';
export type { ToolProfile } from '../mcp/tools/profile.ts';
export type { Precedence } from '../search/copies.ts';
export type { AnsweredSearch, Learning, SearchedQuery } from '../search/learned.ts';
export type { Searchable } from '../search/search.ts';
export type {
  Caller,
  Counter,
  HttpFlags,
  HttpServing,
  Page,
  RequestHandler,
  RequestHandlerOptions,
  Sent,
  TokenRecord,
  TokenStore,
  Wanted,
} from '../serve/http.ts';
export type { Access, AuditEvent } from '../serve/telemetry/audit.ts';
export type { Metrics } from '../serve/telemetry/metrics.ts';
export type { Diagnostic, FileKind, Severity, Skill, SkillFile } from '../skills/skill.ts';
export type { CatalogEntry } from '../sources/scan/entry.ts';
export type { ReadableFile, SkillFolder, Source } from '../sources/source.ts';
export type { CatalogOptions, OpenCatalog, OpenSources } from './catalog.ts';
export type { Config } from './config/schema.ts';

/** A system as it was configured: what its rooms are opened with. */
export interface Settings {
  /** In the given order: of identical skills, that of the first source is shown. */
  readonly sources: readonly SourceSettings[];
  /** The local sources. */
  readonly roots: readonly NamedRoot[];
  /** Absolute. */
  readonly indexFolder: string;
  /** Null where nothing is shared with other projects: only folders were named, or the index was, or nothing is of a project. */
  readonly shared: SharedSettings | null;
  /** Absolute: holds downloaded models, shared by all indexes. */
  readonly cacheFolder: string;
  readonly embedder: string | undefined;
  readonly vectors: VectorMode;
  /** The whole configuration, with absolute paths. */
  readonly config: Config;
  /** What the program was built with, and loads on demand. */
  readonly extensions: readonly ExtensionEntry[];
  /** Names of all sources of the file, also those that flags replace. */
  readonly configured: readonly string[];
  /** Absolute; null without a file. */
  readonly configFile: string | null;
  /** Next to the configuration file; null without one. */
  readonly lockFile: string | null;
  /** Fetched sources stay at the versions of the lockfile. */
  readonly frozen: boolean;
  /** What of the configuration is not used, and why: one sentence each. */
  readonly notices: readonly string[];
}

/** What is known of an extension before it is loaded: one entry of the list. */
export interface ExtensionEntry {
  readonly name: string;
  /** Declares its commands, whose code is loaded when they run. */
  readonly commands?: (declare: Declare) => void;
  /** Names of its tool profiles, for `--tools`. */
  readonly profiles?: readonly string[];
  readonly olderMethods?: OlderMethods;
  /** What it adds once it is loaded. */
  readonly adds?: readonly (keyof Extension)[];
  /** Whether a configuration enables it. Default: always. */
  readonly isEnabled?: (config: Config) => boolean;
  readonly load?: () => Promise<Extension>;
}

/** How commands are declared: with commander, and the options that all commands share. */
interface Declare {
  readonly program: Command;
  readonly version: string;
  command(usage: string, description: string): Command;
  /** Adds the options of every command, or of one that only reads the configuration. */
  common(command: Command): Command;
  configured(command: Command): Command;
  /** Parsers of option values: a repeated one, a whole number, one from 1 to `most`, a share from 0 to 1. */
  readonly collect: (value: string, all?: readonly string[]) => readonly string[];
  readonly wholeNumber: (value: string) => number;
  readonly upTo: (most: number) => (value: string) => number;
  readonly share: (value: string) => number;
  /** For a command that other programs run for their users: options that it does not know are no reason to fail. */
  readonly forgiving: (command: Command) => Command;
}

/** A loaded extension. Each member is one thing that it adds. */
export interface Extension {
  /** A tool profile in place of search-first. `scripts` where scripts are enabled. */
  profile?(name: string, scripts: ScriptTools | undefined): ToolProfile;
  /** The handlers of its `olderMethods`. */
  olderHandlers?(options: OlderOptions): OpenOlderHandlers;
  /** Ranks by what was loaded before. */
  learning?(settings: LearningSettings, embedder: Embedder | null, log: Log): Promise<Learning>;
  /** Runs scripts of skills. */
  readonly scripts?: ScriptExtension;
  /** Where gateways share one catalog. */
  readonly shared?: SharedExtension;
  readonly http?: HttpTransport;
  /** Sources that are not folders of this machine. */
  readonly sources?: RemoteSources;
  /** A page about the catalog, or an interface of its own, for callers of an HTTP server. */
  page?(options: PageOptions): Page;
  /** Adds to the servers of this machine's clients. */
  feature?(options: { catalog(): Promise<OpenCatalog> }): ServerFeature;
  /** Checks of `doctor`. */
  checks?(settings: Settings, environment: ProcessEnvironment): Promise<readonly Check[]>;
}

export type LearningSettings = Pick<Settings, 'indexFolder'> & Partial<Pick<Settings, 'config'>>;

interface OlderOptions {
  readonly publisher: SkillPublisher;
  readonly scripts: ScriptTools | undefined;
  /** Names in `tools/list`. */
  readonly tools: ReadonlySet<string>;
  readonly log: Log;
}

interface ScriptExtension {
  open(opening: ScriptOpening): Scripts;
  tools(scripts: OpenScripts, config: Config): ScriptTools;
}

interface ScriptOpening extends Pick<CatalogOptions, 'environment' | 'policy' | 'audit'> {
  readonly config: Config;
  readonly library: ServedLibrary;
}

export interface RemoteSources {
  open(source: SourceSettings, options: SourceOpening): Promise<FetchedSource>;
  /** What a fetch would refuse before it sends a request: the setting, and why; null if nothing. */
  findRefusal(source: SourceConfig): { readonly setting: string; readonly message: string } | null;
}

interface SourceOpening {
  /** The resolved version of the lockfile where sources are frozen, else null. */
  readonly pinned: string | null;
  readonly now: () => Date;
  /** For the git program: its path, credential helpers and proxies. */
  readonly env: ProcessEnvironment['env'];
  /** How long fetched contents count as fresh, ms. */
  readonly refreshMs: number;
  /** What MCP servers are asked for ahead, where their source does not say it. Default `instructions`. */
  readonly fetch?: 'instructions' | 'all';
}

interface HttpTransport {
  /** Serves until a signal arrives. Rejects with `AppError` if it cannot listen; later errors are logged. */
  serve(
    factory: McpServerFactory,
    config: Config,
    options: HttpServing & { readonly flags: HttpFlags },
  ): Promise<void>;
  /** For other web servers. */
  handler(factory: McpServerFactory, options: RequestHandlerOptions): Promise<RequestHandler>;
}

interface SharedExtension {
  /** Opens what gateways share next to the catalog; null if they share the catalog alone. */
  state(settings: Settings, environment: Pick<ProcessEnvironment, 'env'>, log: Log): Promise<SharedState>;
  /** Opens while the first calls arrive, as `openCatalog` does. */
  catalog(settings: Settings, options: CatalogOptions): Promise<OpenCatalog>;
  /** For a program that uses skillgate as a library: it never writes. Rejects where the policy is shared and cannot be read. */
  reader(settings: Settings, environment: Pick<ProcessEnvironment, 'env'>, log: Log): Promise<Opening>;
  /** The tokens that gateways share, for a command; null where they are in a file. */
  tokens(
    config: Config,
    environment: Pick<ProcessEnvironment, 'env'>,
  ): (<Result>(use: (tokens: TokenStore) => Promise<Result>) => Promise<Result>) | null;
}

export interface SharedState {
  /** Undefined where they are kept in a file. */
  readonly tokens: TokenStore | undefined;
  /** Undefined where it is that of the file. */
  readonly policy: Policy | undefined;
  /** Undefined where neither of them is shared. */
  readonly rights: SharedRights | undefined;
  readonly counter: (prefix: string, windowMs: number) => Counter;
  /** Undefined where the log is a file, or there is none. Gets what counts lost lines. */
  openAudit(onLost: () => void): Promise<LogFile | undefined>;
  close(): Promise<void>;
}

/** What is known here of the tokens and the policy that gateways share. */
export interface SharedRights {
  /** Why no caller may be answered, as a sentence; null where they hold. */
  refusal(): string | null;
  /** Time since they were last read, ms. */
  ageMs(): number;
  unreadable(): readonly UnreadableRights[];
}

/** What this version cannot read. */
export interface UnreadableRights {
  readonly setting: string;
  /** With its path; '' where all of it is refused. */
  readonly key: string;
}

/** A catalog, until it is closed. */
export interface Opening {
  gatewayOf(principal: Principal): Promise<Gateway>;
  close(): Promise<void>;
}

export interface PageOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
  readonly visitor: (principal: Principal) => Promise<PageVisitor>;
  /** A principal's gateway as MCP serves it: recorded, and with all checks of a call. */
  readonly served: (principal: Principal) => Promise<Gateway>;
}

/** What a caller of the page may see. */
interface PageVisitor {
  readonly principal: Principal;
  /** Not observed: the page records what counts, as `explore.…`. */
  readonly gateway: Gateway;
  readonly library: ServedLibrary;
  readonly grants: Grants;
  /** Records a request that makes no call of the gateway; absent where nothing is recorded. */
  readonly observe?: Observer | undefined;
}

/** The result of one check of `skillgate doctor`. */
export interface Check {
  /** Stable, for programs. */
  readonly name:
    | 'node'
    | 'folders'
    | 'skills'
    | 'trust'
    | 'packages'
    | 'model'
    | 'index'
    | 'cache'
    | 'disk'
    | 'sandbox'
    | 'scripts'
    | 'tools'
    | 'hook'
    | 'host'
    | 'listing';
  /** `note`: worth knowing, but no failure. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly message: string;
  readonly details?: readonly string[];
  /** Diagnostics that the check found, by severity; absent where it looks for none. */
  readonly diagnostics?: Readonly<Record<Severity, number>>;
}

/** Options of every command: its flags, and the extensions of the program. */
export interface CommonOptions extends ConfigFlags {
  /** Default: none. */
  readonly extensions?: readonly ExtensionEntry[] | undefined;
}
