/**
 * What an extension may add. `extensions/extensions.ts` lists them; none is loaded before its setting, its command, its
 * profile or one of its methods asks for it. This file and the ports that it names are all that an extension and the core
 * know of each other.
 */

import type { Command } from 'commander';
import type { Embedder } from '../../index/embedder.ts';
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
import type { ToolProfile } from '../mcp/tools/profile.ts';
import type { Learning } from '../search/learned.ts';
import type { TokenStore } from '../serve/http/auth/token-file.ts';
import type { Counter } from '../serve/http/rate-limits.ts';
import type { Page } from '../serve/http/settings.ts';
import type { LogFile } from '../serve/telemetry/log-file.ts';
import type { ProgramAddress } from '../sources/upstream/address.ts';
import type { CatalogOptions, OpenCatalog } from './catalog.ts';
import type { Config } from './config/schema.ts';
import type { ProcessEnvironment } from './configured.ts';
import type { Settings } from './settings.ts';

/** What is known of an extension before it is loaded: one entry of the list. */
export interface ExtensionEntry {
  readonly name: string;
  /** Declares its commands, whose code is loaded when they run. */
  readonly commands?: (declare: Declare) => void;
  /** Names of its tool profiles, for `--tools`. */
  readonly profiles?: readonly string[];
  readonly olderMethods?: OlderMethods;
  /** Whether a configuration asks for it. */
  readonly isWanted?: (config: Config) => boolean;
  load(): Promise<Extension>;
}

/** How commands are declared: with commander, and the options that all commands share. */
interface Declare {
  readonly program: Command;
  readonly version: string;
  command(usage: string, description: string): Command;
  /** Adds the common options. */
  common(command: Command): Command;
  /** Parsers of option values: a repeated one, a whole number, a share from 0 to 1. */
  readonly collect: (value: string, all?: readonly string[]) => readonly string[];
  readonly wholeNumber: (value: string) => number;
  readonly share: (value: string) => number;
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
  /** The page about the catalog, for callers of an HTTP server. */
  page?(options: PageOptions): Page;
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

export interface ScriptExtension {
  /** Throws `SETTING_INVALID` for a pattern that has no meaning. */
  open(opening: ScriptOpening): Scripts;
  tools(scripts: OpenScripts, config: Config): ScriptTools;
  /** Starts an MCP server in the sandbox, as its settings ask. */
  confined(
    settings: ServerSandbox,
    environment: Pick<ProcessEnvironment, 'env'>,
  ): NonNullable<ProgramAddress['start']>;
}

type ServerSandbox = NonNullable<Extract<Config['sources'][number], { readonly kind: 'mcp' }>['sandbox']>;

interface ScriptOpening extends Pick<CatalogOptions, 'environment' | 'policy' | 'audit'> {
  readonly config: Config;
  readonly library: ServedLibrary;
}

interface SharedExtension {
  /** Opens what gateways share besides the catalog; null where nothing but the catalog is shared. */
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
  readonly counter: (prefix: string, windowMs: number) => Counter;
  /** Undefined where the log is a file, or there is none. Gets what counts lost lines. */
  openAudit(onLost: () => void): Promise<LogFile | undefined>;
  close(): Promise<void>;
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
}

/** What a caller of the page may see. */
interface PageVisitor {
  readonly principal: Principal;
  /** Observed, so that the audit log has the page's calls too. */
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
}
