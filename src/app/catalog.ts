/** An open catalog of a server, from the folders of this machine (`open-catalog.ts`) or from a store that gateways share. */

import type { LibraryOptions, ServedLibrary } from '../catalog/library.ts';
import type { ChangeStatus } from '../catalog/schedule.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Policy } from '../gateway/policy/policy.ts';
import type { Principal } from '../gateway/policy/principal.ts';
import type { ScriptRecord, Scripts } from '../gateway/scripts.ts';
import type { AuditEvent } from '../serve/telemetry/audit.ts';
import type { FetchedSource } from '../sources/fetched.ts';
import type { NamedRoot } from '../sources/scan/roots.ts';
import type { Source } from '../sources/source.ts';
import type { ProcessEnvironment } from './configured.ts';

export interface OpenSources {
  /** In the order of the settings: among identical skills, the first source wins. */
  readonly all: readonly Source[];
  readonly fetched: readonly FetchedSource[];
  close(): Promise<void>;
}

export interface CatalogOptions {
  readonly environment: Pick<ProcessEnvironment, 'env'>;
  readonly policy: Policy;
  readonly log: (message: string) => void;
  /** No folder and no index is opened before this resolves. Default: both at once. */
  readonly begin?: Promise<void>;
  readonly onProgress: NonNullable<LibraryOptions['onProgress']>;
  /** Records a run of a script, and each refusal. */
  readonly audit: (record: ScriptRecord) => void;
  /** Called when a source moved to another version. */
  readonly onSource: (event: AuditEvent) => void;
}

export interface OpenCatalog {
  /** The local folders that it serves. */
  readonly roots: readonly NamedRoot[];
  readonly sources: OpenSources;
  readonly opened: Promise<ServedLibrary>;
  gateway(principal: Principal): Promise<Gateway>;
  /** Undefined where scripts are disabled: then no answer mentions them. */
  readonly scripts: Promise<Scripts> | undefined;
  /** Why calls cannot be answered yet; null if they can. */
  notReady(): string | null;
  /** Changes of the folders that were seen here; null while another gateway writes, or nothing is open. */
  changes(): ChangeStatus | null;
  /** How long a shared catalog may have been out of date, ms; 0 while it is new. Absent where it is not shared. */
  readonly staleMs?: () => number;
  /** Leaves the writing of a shared catalog to others. Calls go on. */
  retire?(): void;
  close(): Promise<void>;
}
