/**
 * The access and audit log, one JSON object per line: each request with its status, and each use of a skill, script or
 * tool with principal, outcome, duration and size. `redact.ts` and the operator (`telemetry.redact`) decide what is
 * logged of arguments. Results are counted, never logged.
 */

import { pino } from 'pino';
import { loggable, MASK } from '../../base/redaction/redact.ts';
import type { Observer, UseCaseEnd } from '../../gateway/intercept.ts';
import type { ScriptRecord } from '../../gateway/scripts.ts';
import { type LogFile, type LogFileOptions, openLogFile } from './log-file.ts';

/** Something that an operator did, or that the server did without a call. */
export type AuditEvent =
  | { readonly event: 'start'; readonly version: string; readonly config: string | null }
  | {
      readonly event: 'config';
      readonly action: string;
      readonly file: string;
      readonly config: string | null;
    }
  | {
      readonly event: 'token';
      readonly action: 'create' | 'revoke';
      readonly name: string;
      readonly scopes?: readonly string[];
      readonly expires?: string | null;
    }
  | {
      readonly event: 'source';
      readonly name: string;
      readonly origin: string;
      readonly resolved: string | null;
    };

/** One answered HTTP request. */
export interface Access {
  /** Null for an unauthenticated client. */
  readonly who: string | null;
  readonly remote: string;
  readonly method: string;
  /** Without the query string, which may hold secrets. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Why the request was rejected: a fixed word. */
  readonly reject?: string;
}

export interface AuditOptions extends LogFileOptions {
  /** Default: the file at `path`. */
  readonly target?: LogFile | undefined;
  /** Paths to mask, such as `arguments.query`. An invalid path throws at once. */
  readonly redact: readonly string[];
  readonly now: () => Date;
  /** Id of the JSON-RPC request that is being answered; undefined outside of one. */
  readonly requestId?: () => string | number | undefined;
}

export interface Audit {
  readonly observe: Observer;
  access(entry: Access): void;
  /** Logs a run of a script, or its refusal. */
  script(record: ScriptRecord): void;
  event(event: AuditEvent): void;
  /** True while lines cannot be written. */
  failing(): boolean;
  /** Reopens the file, after a rotation. */
  reopen(): void;
  close(): Promise<void>;
}

/** Calls that the server makes for its own texts or as part of another use case. */
const UNLOGGED = new Set(['summary', 'labels']);

export function openAudit({
  redact,
  now,
  requestId = () => undefined,
  target,
  ...file
}: AuditOptions): Audit {
  const log = target ?? openLogFile(file);
  const logger = pino(
    {
      base: null,
      timestamp: () => `,"time":"${now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...redact], censor: MASK },
    },
    log,
  );
  return {
    observe({ name, principal, request }) {
      if (UNLOGGED.has(name)) return () => {};
      const id = requestId();
      return (end) =>
        logger.info({
          event: 'call',
          who: principal.id,
          call: name,
          ...requestField(id),
          arguments: loggable(typeof request === 'object' ? request : { value: request }),
          outcome: end.outcome,
          ms: rounded(end.ms),
          ...readCounts(end),
        });
    },
    script: ({ principal, ...record }) => logger.info({ event: 'script', who: principal, ...record }),
    access: ({ ms, ...entry }) => logger.info({ event: 'access', ...entry, ms: rounded(ms) }),
    event: (event) => logger.info(loggable(event)),
    failing: () => log.failing(),
    reopen: () => log.reopen(),
    close: () => log.close(),
  };
}

const requestField = (id: string | number | undefined) => (id === undefined ? {} : { request: loggable(id) });

const rounded = (ms: number) => Math.round(ms * 100) / 100;

/** A result in numbers and ids: the skill, the hits, the size of a text. */
function readCounts({ result }: UseCaseEnd): Record<string, unknown> {
  const { hits, entries, skills, entry, instructions, slice, base64, fit, weak } = toMembers(result);
  const bytes =
    measureText(instructions) ??
    measureText(slice) ??
    (typeof base64 === 'string' ? base64.length : undefined);
  const list = [hits, entries, skills].find(Array.isArray);
  return {
    skill: readId(entry),
    ...(Array.isArray(hits) ? { hits: hits.map((hit) => readId(toMembers(hit).entry)) } : {}),
    ...(typeof fit === 'number' ? { fit: rounded(fit) } : {}),
    ...(typeof weak === 'boolean' ? { weak } : {}),
    ...(list === undefined ? {} : { count: list.length }),
    bytes,
  };
}

const toMembers = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

const readId = (entry: unknown): string | undefined => {
  const { id } = toMembers(entry);
  return typeof id === 'string' ? id : undefined;
};

const measureText = (part: unknown): number | undefined => {
  const { text } = toMembers(part);
  return typeof text === 'string' ? Buffer.byteLength(text) : undefined;
};
