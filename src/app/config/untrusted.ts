/**
 * What a project's file may set unasked, in one table. Everything else needs trust: it runs, connects, reads or writes elsewhere,
 * sends data, or decides who sees what and how much. Reads nothing; the value passed the schema.
 */

import { hash } from 'node:crypto';
import { DIAGNOSTICS, isRule } from '../../skills/diagnostics.ts';

export type Settings = Readonly<Record<string, unknown>>;
type IsInside = (path: string) => boolean;

/** Sections that choose among what is there, and run, connect, read, write and send nothing. */
const HARMLESS: ReadonlySet<string> = new Set(['$schema', 'pinned', 'validate']);

/** The settings of a source of the project's own folder. `links` lead out of it, and another kind is elsewhere. */
const HARMLESS_SOURCE: Readonly<Record<string, (value: unknown, isInside: IsInside) => boolean>> = {
  kind: (kind) => kind === 'local',
  name: () => true,
  root: (root, isInside) => typeof root === 'string' && isInside(root),
};

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
export function splitByTrust(value: unknown, isInside: IsInside): Split {
  const harmless: Record<string, unknown> = {};
  const sensitive: Record<string, unknown> = {};
  const parts: string[] = [];
  let kept: readonly number[] = [];
  for (const [name, section] of Object.entries(asMapping(value) ?? {})) {
    if (isEmpty(section)) continue;
    if (name === 'sources' && Array.isArray(section)) {
      kept = section.flatMap((source, at) => (isHarmlessSource(source, isInside) ? [at] : []));
      const others = section.flatMap((_, at) => (kept.includes(at) ? [] : [at]));
      if (kept.length > 0) harmless.sources = kept.map((at) => section[at]);
      if (others.length > 0) sensitive.sources = others.map((at) => section[at]);
      parts.push(...others.map((at) => `sources[${at}]`));
    } else if (HARMLESS.has(name)) harmless[name] = section;
    else {
      sensitive[name] = section;
      parts.push(name);
    }
  }
  return { harmless, kept, sensitive, parts };
}

/** A source is used as a whole or not at all: half of one would be another source. */
function isHarmlessSource(source: unknown, isInside: IsInside): boolean {
  const entry = asMapping(source);
  return (
    entry?.kind === 'local' &&
    Object.entries(entry).every(
      ([name, value]) => Object.hasOwn(HARMLESS_SOURCE, name) && HARMLESS_SOURCE[name]!(value, isInside),
    )
  );
}

/** An empty mapping or list sets nothing. */
const isEmpty = (section: unknown) =>
  typeof section === 'object' && section !== null && Object.keys(section).length === 0;

/** SHA-256 of the settings as canonical JSON: keys in order, nothing expanded. */
export const digestSettings = (sensitive: Settings): string => hash('sha256', canonical(sensitive));

export const asMapping = (value: unknown): Settings | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null;

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const mapping = asMapping(value);
  if (mapping === null) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(mapping).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(mapping[name])}`).join(',')}}`;
}

const MILDEST_FIRST = ['off', 'info', 'warning', 'error'];

/** Where a caller judges a project, as in CI: the project's settings without rules that are milder than the caller's. */
export function withoutMilderRules(
  project: unknown,
  caller: unknown,
): { readonly value: unknown; readonly milder: readonly string[] } {
  const rules = rulesIn(project);
  const ofCaller = rulesIn(caller);
  const strictness = (severity: unknown) => MILDEST_FIRST.indexOf(String(severity));
  const before = (id: string) => ofCaller[id] ?? (isRule(id) ? DIAGNOSTICS[id].severity : 'off');
  const milder = Object.keys(rules).filter((id) => strictness(rules[id]) < strictness(before(id)));
  if (milder.length === 0) return { value: project, milder };
  const kept = Object.fromEntries(Object.entries(rules).filter(([id]) => !milder.includes(id)));
  return { value: { ...asMapping(project), validate: { rules: kept } }, milder };
}

const rulesIn = (value: unknown): Settings => asMapping(asMapping(asMapping(value)?.validate)?.rules) ?? {};
