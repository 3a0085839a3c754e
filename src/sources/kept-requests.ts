/**
 * Requests that a user's agent wrote for skills. They are kept in a file beside the configuration, never among an author's files:
 * one line of JSON a skill, `{skill: "<source>:<path>", digest, requests}`. The command `requests` writes it.
 */

import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage } from '../base/errors.ts';
import { readInside } from '../base/files/read.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { diagnose } from '../skills/diagnostics.ts';
import { requestsAmong } from '../skills/requests.ts';
import type { Diagnostic } from '../skills/skill.ts';
import type { SkillFolder, Source } from './source.ts';

/** Bytes of the file: eight requests of 100,000 skills. */
export const MAX_KEPT_BYTES = 128 * 2 ** 20;

export interface KeptRequests {
  /** `<source>:<path below its root>`. */
  readonly skill: string;
  /** Of the skill for which they were written. */
  readonly digest: string;
  readonly requests: readonly string[];
}

/** The key of a skill's requests: its id with the source as prefix. */
export const keptKey = ({ id, source }: Pick<SkillFolder, 'id' | 'source'>): string =>
  id.startsWith(`${source}:`) ? id : `${source}:${id}`;

/** Null for a line that is none. */
export function parseKept(line: string): KeptRequests | null {
  const value = parseJson(line);
  if (!isRecord(value) || !Array.isArray(value.requests)) return null;
  const { skill, digest, requests } = value;
  if (typeof skill !== 'string' || typeof digest !== 'string') return null;
  return { skill, digest, requests: requestsAmong(requests) };
}

interface Kept {
  readonly stamp: string;
  readonly bySkill: ReadonlyMap<string, readonly string[]>;
  readonly fault: string | null;
  /** The first line that holds no requests, from 1. */
  readonly brokenLine?: number | undefined;
}

const NOTHING: Omit<Kept, 'stamp'> = { bySkill: new Map(), fault: null };
/** By file: each is read again when it has changed. */
const files = new Map<string, Kept>();

/** The folders with their requests, and what cannot be read of the files of these sources. Never throws. */
export function joinRequests(
  folders: readonly SkillFolder[],
  sources: readonly Source[],
): { readonly folders: readonly SkillFolder[]; readonly diagnostics: readonly Diagnostic[] } {
  const kept = new Map(sources.map(({ name, requests }) => [name, requests && readKept(requests)]));
  const joined = folders.map((folder) => {
    const { source, stamp } = folder;
    const requests = (kept.get(source) || NOTHING).bySkill.get(keptKey(folder)) ?? [];
    if (requests.length === 0) return folder;
    return { ...folder, requests, stamp: `${stamp} ${hash('sha256', requests.join('\0'))}` };
  });
  const named = new Set(sources.flatMap(({ requests }) => requests ?? []));
  const diagnostics = Array.from(named, (file) => {
    const { fault, brokenLine: line } = readKept(file);
    return fault === null
      ? []
      : diagnose('requests-unreadable', file, fault, line === undefined ? {} : { line });
  });
  return { folders: joined, diagnostics: diagnostics.flat() };
}

function readKept(file: string): Kept {
  const stamp = stampFile(file);
  const known = files.get(file);
  if (known?.stamp === stamp) return known;
  const kept = { stamp, ...(stamp === '' ? NOTHING : parseFile(file)) };
  files.set(file, kept);
  return kept;
}

/** Empty where there is no file. */
function stampFile(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
  } catch (error) {
    // A circle of links, or a folder that may not be entered: `parseFile` reports it.
    return errorMessage(error);
  }
}

function parseFile(file: string): Omit<Kept, 'stamp'> {
  const bySkill = new Map<string, readonly string[]>();
  const broken: number[] = [];
  try {
    const bytes = readInside(dirname(file), file, { maxBytes: MAX_KEPT_BYTES });
    for (const [at, line] of Buffer.from(bytes).toString('utf8').split('\n').entries()) {
      const kept = parseKept(line);
      if (kept !== null) bySkill.set(kept.skill, kept.requests);
      else if (line.trim() !== '') broken.push(at + 1);
    }
  } catch (error) {
    return { bySkill, fault: errorMessage(error) };
  }
  return {
    bySkill,
    fault: broken.length === 0 ? null : `${broken.length} of its lines hold no requests; the others count.`,
    brokenLine: broken[0],
  };
}
