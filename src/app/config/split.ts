/** Splits a project's configuration into what is harmless and what needs trust. Reads nothing; the value passed the schema. */

import { hash } from 'node:crypto';
import { trustClassOf } from './trust-classes.ts';

export type Settings = Readonly<Record<string, unknown>>;

export interface Split {
  /** Works unasked. */
  readonly harmless: Settings;
  /** Which entries of `sources` that has, by their position in the file. */
  readonly kept: readonly number[];
  /** Exactly what trust is given for; empty where nothing needs it. */
  readonly sensitive: Settings;
  /** Its parts, as the file calls them: `sources[1]`, `scripts`. In the order of the file. */
  readonly parts: readonly string[];
}

/** `isInside` says whether a path of the file lies in the project's folder. */
export function splitByTrust(value: unknown, isInside: (path: string) => boolean): Split {
  const harmless: Record<string, unknown> = {};
  const sensitive: Record<string, unknown> = {};
  const parts: string[] = [];
  let kept: readonly number[] = [];
  for (const [name, part] of Object.entries(mappingOf(value) ?? {})) {
    if (name === 'sources' && Array.isArray(part)) {
      const sources = splitSources(part, isInside);
      kept = sources.kept;
      if (sources.harmless.length > 0) harmless.sources = sources.harmless;
      if (sources.sensitive.length > 0) sensitive.sources = sources.sensitive;
      parts.push(...sources.parts);
      continue;
    }
    const halves = splitPart(part, name);
    if (halves.harmless !== undefined) harmless[name] = halves.harmless;
    if (halves.sensitive === undefined) continue;
    sensitive[name] = halves.sensitive;
    parts.push(name);
  }
  return { harmless, kept, sensitive, parts };
}

/** SHA-256 of the settings as canonical JSON: keys in order, nothing expanded. */
export const digestOf = (sensitive: Settings): string => hash('sha256', canonical(sensitive));

function splitPart(part: unknown, path: string): { harmless?: unknown; sensitive?: unknown } {
  const mapping = mappingOf(part);
  // A record, such as the rules by their ids, has one class for all of its entries.
  if (trustClassOf(path) === 'harmless') return { harmless: part };
  if (mapping === null) return { sensitive: part };
  const harmless: Record<string, unknown> = {};
  const sensitive: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(mapping)) {
    const halves = splitPart(inner, `${path}.${name}`);
    if (halves.harmless !== undefined) harmless[name] = halves.harmless;
    if (halves.sensitive !== undefined) sensitive[name] = halves.sensitive;
  }
  return {
    ...(Object.keys(harmless).length === 0 ? {} : { harmless }),
    ...(Object.keys(sensitive).length === 0 ? {} : { sensitive }),
  };
}

/** A source is used as a whole or not at all: half of one would be another source. */
function splitSources(sources: readonly unknown[], isInside: (path: string) => boolean) {
  const isHarmless = (source: unknown) => {
    const entry = mappingOf(source) ?? {};
    return Object.entries(entry).every(([name, value]) => {
      const is = trustClassOf(`sources.${String(entry.kind)}.${name}`);
      return is === 'harmless' || (is === 'inside' && typeof value === 'string' && isInside(value));
    });
  };
  const kept = sources.flatMap((source, at) => (isHarmless(source) ? [at] : []));
  const others = sources.flatMap((_, at) => (kept.includes(at) ? [] : [at]));
  return {
    kept,
    harmless: kept.map((at) => sources[at]),
    sensitive: others.map((at) => sources[at]),
    parts: others.map((at) => `sources[${at}]`),
  };
}

export const mappingOf = (value: unknown): Settings | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null;

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const mapping = mappingOf(value);
  if (mapping === null) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(mapping).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(mapping[name])}`).join(',')}}`;
}
