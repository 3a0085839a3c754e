/**
 * The access and audit log, one JSON object a line: which requests came and how they were answered, and who searched,
 * loaded, read, ran or used what, with what outcome, how long it took and how much it gave. What is written of
 * arguments is `redact.ts`'s and the operator's (`telemetry.redact`); results are counted, never written.
 */

import { pino } from 'pino';
import type { UseCaseEnd, Watch } from '../gateway/watched.ts';
import { type LogFileOptions, openLogFile } from './log-file.ts';
import { loggable, MASK } from './redact.ts';

/** One answered HTTP request. */
export interface Access {
  /** Null where nobody was told apart. */
  readonly who: string | null;
  readonly remote: string;
  readonly method: string;
  /** Without the query, which may hold anything. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Why it was turned away, in a fixed word. */
  readonly reject?: string;
}

export interface AuditOptions extends LogFileOptions {
  /** Paths that are masked: `arguments.query`. Throws at once for what is no path. */
  readonly redact: readonly string[];
  readonly now: () => Date;
}

export interface Audit {
  readonly watch: Watch;
  access(entry: Access): void;
  /** After a rotation. */
  reopen(): void;
  close(): Promise<void>;
}

/** Asked by the server itself for its texts, or part of another use case: they show nobody anything. */
const UNWATCHED = new Set(['summary', 'labels']);

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
    watch({ name, principal, request }) {
      if (UNWATCHED.has(name)) return () => {};
      return (end) =>
        logger.info({
          event: 'call',
          who: principal.id,
          call: name,
          arguments: loggable(typeof request === 'object' ? request : { value: request }),
          outcome: end.outcome,
          ms: rounded(end.ms),
          ...given(end),
        });
    },
    access: ({ ms, ...entry }) => logger.info({ event: 'access', ...entry, ms: rounded(ms) }),
    reopen: () => target.reopen(),
    close: () => target.close(),
  };
}

const rounded = (ms: number) => Math.round(ms * 100) / 100;

/** What a result was, by counting: the skill, the ids of the hits, the size of a text. */
function given({ result }: UseCaseEnd): Record<string, unknown> {
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
