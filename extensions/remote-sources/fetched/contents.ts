/** The contents and state of a fetched source as data, and their JSON. */

import * as z from 'zod';
import type { Diagnostic } from '../../../src/app/extension-api.ts';
import { parseJson } from '../../../src/base/json.ts';
import { DIAGNOSTICS, type DiagnosticId, diagnose } from '../../../src/skills/diagnostics.ts';
import { digestFiles } from '../../../src/skills/digest.ts';

/** A file whose bytes are in the store. */
export interface StoredFile {
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly executable: boolean;
  /** Modification time on disk, whole ms; unique for each content of a store. */
  readonly at: number;
  /** The origin's identifier of this content (a blob's id, an artifact's digest), to avoid fetching it again. */
  readonly from: string | null;
}

export interface Contents {
  /** A commit, or `sha256:…` over the paths and contents. */
  readonly resolved: string;
  /** By path below the source's root, with `/`. */
  readonly files: ReadonlyMap<string, StoredFile>;
  /** What was left out, and why. */
  readonly diagnostics: readonly Diagnostic[];
  /** What this kind of source needs at its next fetch, such as an ETag. */
  readonly memory: Readonly<Record<string, string>>;
}

/** `sha256:` and the digest over all paths and contents: equal files have equal digests. */
export function digestContents(files: ReadonlyMap<string, StoredFile>): string {
  return `sha256:${digestFiles([...files].map(([path, { sha256 }]) => ({ path, sha256 })))}`;
}

const FORMAT = 1;
const isDiagnosticId = (id: string): id is DiagnosticId => Object.hasOwn(DIAGNOSTICS, id);

const diagnosticSchema = z
  .object({
    id: z.string().refine(isDiagnosticId),
    path: z.string(),
    message: z.string(),
    fix: z.string().optional(),
  })
  .transform(
    ({ id, path, message, fix }): Diagnostic => diagnose(id, path, message, fix === undefined ? {} : { fix }),
  );
const contentsSchema = z.object({
  format: z.literal(FORMAT),
  key: z.string(),
  resolved: z.string(),
  memory: z.record(z.string(), z.string()),
  diagnostics: z.array(diagnosticSchema),
  files: z.array(z.unknown()),
});

/** `key` identifies what was fetched: `contentsFromJson` accepts no other. */
export function contentsToJson(contents: Contents, key: string): string {
  const { resolved, memory, diagnostics, files } = contents;
  const rows = [...files].map(([path, { sha256, size, executable, at, from }]) => {
    return [path, sha256, size, executable, at, from];
  });
  return JSON.stringify({ format: FORMAT, key, resolved, memory, diagnostics, files: rows });
}

/** Null if it is damaged, has another format, or was fetched for another key. */
export function contentsFromJson(text: string, key: string): Contents | null {
  const parsed = contentsSchema.safeParse(parseJson(text));
  if (!parsed.success || parsed.data.key !== key) return null;
  const { resolved, memory, diagnostics, files: rows } = parsed.data;
  if (!rows.every(isRow)) return null;
  const files = rows.map(([path, sha256, size, executable, at, from]): [string, StoredFile] => [
    path,
    { sha256, size, executable, at, from },
  ]);
  return { resolved, memory, diagnostics, files: new Map(files) };
}

type Row = [path: string, sha256: string, size: number, executable: boolean, at: number, from: string | null];

/** By hand, not by a schema: there are tens of thousands, and every refresh reads them. */
function isRow(row: unknown): row is Row {
  if (!Array.isArray(row) || row.length !== 6) return false;
  const [path, sha256, size, executable, at, from] = row;
  return (
    typeof path === 'string' &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    Number.isSafeInteger(size) &&
    size >= 0 &&
    typeof executable === 'boolean' &&
    Number.isSafeInteger(at) &&
    (from === null || typeof from === 'string')
  );
}

const stateSchema = z.object({
  resolved: z.string().nullable(),
  verifiedAt: z.string().nullable(),
  failure: z.string().nullable(),
  diagnostics: z.array(diagnosticSchema).readonly(),
});

/** The state of a source: small, so that it can be read often. */
export type State = z.output<typeof stateSchema>;

export const stateToJson = (state: State, key: string) => JSON.stringify({ key, ...state });

export function stateFromJson(text: string, key: string): State | null {
  const parsed = stateSchema.extend({ key: z.literal(key) }).safeParse(parseJson(text));
  if (!parsed.success) return null;
  const { key: _, ...state } = parsed.data;
  return state;
}
