/** The contents and state of a fetched source as data, and their JSON. */

import * as z from 'zod';
import { parseJson } from '../../base/json.ts';
import { DIAGNOSTICS, type DiagnosticId, diagnose } from '../../skills/diagnostics.ts';
import { digestFiles } from '../../skills/digest.ts';
import type { Diagnostic } from '../../skills/skill.ts';

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
export function digestOf(files: ReadonlyMap<string, StoredFile>): string {
  return `sha256:${digestFiles([...files].map(([path, { sha256 }]) => ({ path, sha256 })))}`;
}

const FORMAT = 1;
const isDiagnosticId = (id: string): id is DiagnosticId => Object.hasOwn(DIAGNOSTICS, id);

const fileSchema = z.tuple([
  z.string(),
  z.string().regex(/^[0-9a-f]{64}$/),
  z.int().min(0),
  z.boolean(),
  z.int(),
  z.string().nullable(),
]);
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
  files: z.array(fileSchema),
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
  const { resolved, memory, diagnostics, files } = parsed.data;
  return {
    resolved,
    memory,
    diagnostics,
    files: new Map(
      files.map(([path, sha256, size, executable, at, from]) => [
        path,
        { sha256, size, executable, at, from },
      ]),
    ),
  };
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
