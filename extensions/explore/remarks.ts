/**
 * What validation remarks about each skill: files are read one skill after the other, between answers, and a skill whose
 * files did not change is not read again. The rules are those of `skillgate validate`.
 */

import { setImmediate } from 'node:timers/promises';
import type { Reader } from '../../index/reader/reader.ts';
import type { CatalogEntry, Diagnostic, LibraryView, SkillFolder } from '../../src/app/extension-api.ts';
import { entryAt, type Searchable } from '../../src/search/search.ts';
import { examineSkill } from '../authoring/check-skill.ts';

/** By id of the skill, in their order; `read` is the share of the skills whose files are read, 0–1. */
export interface ReadRemarks {
  readonly read: number;
  readonly remarks: ReadonlyMap<string, readonly Diagnostic[]>;
}

export class Remarks {
  /** By id and digest. */
  readonly #known = new Map<string, readonly Diagnostic[]>();
  readonly #reading = new WeakSet<Reader>();

  /** Those that are known; begins to read what is not known yet. */
  in({ reader }: Searchable, view: Pick<LibraryView, 'filesOf'>): ReadRemarks {
    const ordinals = reader.ordinalsByKey();
    const unknown = ordinals.filter((ordinal) => !this.#known.has(skillVersion(reader, ordinal)));
    if (unknown.length > 0 && !this.#reading.has(reader)) {
      this.#reading.add(reader);
      // A snapshot that was closed meanwhile ends it; the next request begins with the next one.
      this.#read(reader, unknown, view).catch(() => this.#reading.delete(reader));
    }
    const remarks = Array.from(
      ordinals,
      (ordinal) => [reader.key(ordinal), this.#known.get(skillVersion(reader, ordinal)) ?? []] as const,
    );
    return {
      read: ordinals.length === 0 ? 1 : 1 - unknown.length / ordinals.length,
      remarks: new Map(remarks.filter(([, own]) => own.length > 0)),
    };
  }

  async #read(reader: Reader, ordinals: Uint32Array, view: Pick<LibraryView, 'filesOf'>): Promise<void> {
    for (const ordinal of ordinals) {
      const key = skillVersion(reader, ordinal);
      if (!this.#known.has(key)) this.#known.set(key, await remarksOn(entryAt(reader, ordinal), view));
      await setImmediate();
    }
  }
}

const skillVersion = (reader: Reader, ordinal: number) => `${reader.key(ordinal)}\0${reader.digest(ordinal)}`;

/** Empty for a skill that is gone since it was indexed: the next generation will not have it. */
export async function remarksOn(
  entry: CatalogEntry,
  view: Pick<LibraryView, 'filesOf'>,
): Promise<readonly Diagnostic[]> {
  const { id, source, folder, file, uri } = entry;
  const files = await view.filesOf(entry);
  if (files.length === 0) return [];
  // Where the name differs from the folder's, the entry's URI has it after `/-/`.
  const own = uri.replace(/\/-\/[^/]+(?=\/[^/]+$)/, '');
  const skill: SkillFolder = { id, source, uri: own, folder, file, files, stamp: '' };
  return examineSkill(skill).diagnostics;
}
