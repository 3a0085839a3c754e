/**
 * The access and audit log, one JSON object per line: each request with its status, and each use of a skill, script or
 * tool with principal, outcome, duration and size. `redact.ts` and the operator (`telemetry.redact`) decide what is
 * logged of arguments. Results are counted, never logged.
 */

import { pino } from 'pino';
import type { Observer, UseCaseEnd } from '../gateway/public.ts';
import type { ScriptRecord } from '../scripts/public.ts';
import { type LogFileOptions, openLogFile } from './log-file.ts';
import { loggable, MASK } from './redact.ts';

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
  /** Paths to mask, such as `arguments.query`. An invalid path throws at once. */
  readonly redact: readonly string[];
  readonly now: () => Date;
}

export interface Audit {
  readonly observe: Observer;
  access(entry: Access): void;
  /** Logs a run of a script, or its refusal. */
  script(record: ScriptRecord): void;
  /** Reopens the file, after a rotation. */
  reopen(): void;
  close(): Promise<void>;
}

/** Calls that the server makes for its own texts or as part of another use case. */
const UNLOGGED = new Set(['summary', 'labels']);

export function openAudit({ redact, now, ...file }: AuditOptions): Audit {
  const target = openLogFile(file);
  const logger = pino(
    {
      base: null,
      timestamp: () => `,"time":"${now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...redact], censor: MASK },
    },
    target,
  );
  return {
    observe({ name, principal, request }) {
      if (UNLOGGED.has(name)) return () => {};
      return (end) =>
        logger.info({
          event: 'call',
          who: principal.id,
          call: name,
          arguments: loggable(typeof request === 'object' ? request : { value: request }),
          outcome: end.outcome,
          ms: rounded(end.ms),
          ...countsOf(end),
        });
    },
    script: ({ principal, ...record }) => logger.info({ event: 'script', who: principal, ...record }),
    access: ({ ms, ...entry }) => logger.info({ event: 'access', ...entry, ms: rounded(ms) }),
    reopen: () => target.reopen(),
    close: () => target.close(),
  };
}

const rounded = (ms: number) => Math.round(ms * 100) / 100;

/** A result in numbers and ids: the skill, the hits, the size of a text. */
function countsOf({ result }: UseCaseEnd): Record<string, unknown> {
  const { hits, entries, skills, entry, instructions, slice, base64 } = membersOf(result);
  const bytes =
    textOf(instructions) ?? textOf(slice) ?? (typeof base64 === 'string' ? base64.length : undefined);
  const list = [hits, entries, skills].find(Array.isArray);
  return {
    ...(idOf(entry) === undefined ? {} : { skill: idOf(entry) }),
    ...(Array.isArray(hits) ? { hits: hits.map((hit) => idOf(membersOf(hit).entry)) } : {}),
    ...(list === undefined ? {} : { count: list.length }),
    ...(bytes === undefined ? {} : { bytes }),
  };
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

const idOf = (entry: unknown): string | undefined => {
  const { id } = membersOf(entry);
  return typeof id === 'string' ? id : undefined;
};

const textOf = (part: unknown): number | undefined => {
  const { text } = membersOf(part);
  return typeof text === 'string' ? Buffer.byteLength(text) : undefined;
};
