/**
 * What validation remarks about each skill: files are read one skill after the other, between answers, and a skill whose
 * files did not change is not read again. The rules are those of `skillgate validate`.
 */

import { setImmediate } from 'node:timers/promises';
import type { Reader } from '../../index/reader/reader.ts';
import { examineSkill } from '../../src/authoring/check-skill.ts';
import type { LibraryView } from '../../src/catalog/library.ts';
import { entryAt, type Searchable } from '../../src/search/search.ts';
import { meaningOf } from '../../src/skills/diagnostics.ts';
import type { Diagnostic } from '../../src/skills/skill.ts';
import type { CatalogEntry } from '../../src/sources/scan/entry.ts';
import type { SkillFolder } from '../../src/sources/source.ts';
import type { Eventually, RemarkKind } from './api.ts';

/** Remarks of one kind that are listed. */
const LISTED = 40;

const SEVERITIES = ['error', 'warning', 'info'] as const;

export class Remarks {
  /** By id and digest. */
  readonly #known = new Map<string, readonly Diagnostic[]>();
  readonly #reading = new WeakSet<Reader>();

  /** Begins to read what is not known yet. */
  of({ reader }: Searchable, view: Pick<LibraryView, 'filesOf'>): Eventually<readonly RemarkKind[]> {
    const ordinals = reader.ordinalsByKey();
    const unknown = ordinals.filter((ordinal) => !this.#known.has(keyOf(reader, ordinal)));
    if (unknown.length === 0) return { state: 'done', result: this.#kinds(reader) };
    if (!this.#reading.has(reader)) {
      this.#reading.add(reader);
      // A snapshot that was closed meanwhile ends it; the next request begins with the next one.
      this.#read(reader, unknown, view).catch(() => this.#reading.delete(reader));
    }
    return { state: 'working', share: 1 - unknown.length / ordinals.length };
  }

  async #read(reader: Reader, ordinals: Uint32Array, view: Pick<LibraryView, 'filesOf'>): Promise<void> {
    for (const ordinal of ordinals) {
      const key = keyOf(reader, ordinal);
      if (!this.#known.has(key)) this.#known.set(key, await remarksOn(entryAt(reader, ordinal), view));
      await setImmediate();
    }
  }

  /** Worst first, then the most frequent. */
  #kinds(reader: Reader): RemarkKind[] {
    const kinds = new Map<
      string,
      { skills: number; diagnostics: { skill: string; diagnostic: Diagnostic }[] }
    >();
    for (const ordinal of reader.ordinalsByKey()) {
      const own = this.#known.get(keyOf(reader, ordinal)) ?? [];
      for (const id of new Set(own.map((diagnostic) => diagnostic.id))) {
        const kind = kinds.get(id) ?? { skills: 0, diagnostics: [] };
        kinds.set(id, kind);
        kind.skills += 1;
        const diagnostic = own.find((each) => each.id === id);
        if (diagnostic !== undefined && kind.diagnostics.length < LISTED)
          kind.diagnostics.push({ skill: reader.key(ordinal), diagnostic });
      }
    }
    return [...kinds]
      .map(([id, { skills, diagnostics }]) => ({
        id,
        severity: diagnostics[0]!.diagnostic.severity,
        meaning: meaningOf(id),
        skills,
        found: diagnostics.map(({ skill, diagnostic: { path, position, message, fix } }) => ({
          skill,
          at: position === undefined ? path : `${path}:${position.line}`,
          message,
          fix,
        })),
      }))
      .sort(
        (a, b) =>
          SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
          b.skills - a.skills ||
          (a.id < b.id ? -1 : 1),
      );
  }
}

const keyOf = (reader: Reader, ordinal: number) => `${reader.key(ordinal)}\0${reader.digest(ordinal)}`;

/** Empty for a skill that is gone since it was indexed. */
export async function remarksOn(
  entry: CatalogEntry,
  view: Pick<LibraryView, 'filesOf'>,
): Promise<readonly Diagnostic[]> {
  const files = await view.filesOf(entry);
  // Gone since it was indexed: the next generation will not have it.
  if (files.length === 0) return [];
  const { id, source, folder, file } = entry;
  // Where the name differs from the folder's, the entry's URI has it after `/-/`.
  const uri = entry.uri.replace(/\/-\/[^/]+(?=\/[^/]+$)/, '');
  const found: SkillFolder = { id, source, uri, folder, file, files, stamp: '' };
  return examineSkill(found).diagnostics;
}
