/** Selects skills by source, id, tag and the scan's marks, all of which must match, and reads these of a snapshot's skills. */

import type { Reader } from '../../../index/reader/reader.ts';
import type { CatalogEntry } from '../../sources/scan/entry.ts';
import { compilePatterns, EVERYTHING } from './patterns.ts';

/** Values of one criterion are alternatives. An absent criterion does not restrict; without any, every skill matches. */
export interface Choice {
  readonly sources?: readonly string[] | undefined;
  /** Patterns of ids, with or without the prefix `<source>:`. */
  readonly skills?: readonly string[] | undefined;
  /** Case is ignored. A skill without tags matches no pattern, not even `*`. */
  readonly tags?: readonly string[] | undefined;
  readonly suspicious?: boolean | undefined;
}

/** The properties of a skill that a policy can match. */
export interface Subject {
  /** Its id without and with its source as prefix. */
  readonly ids: readonly [plain: string, qualified: string];
  readonly source: string;
  readonly tags: readonly string[];
  /** The scan marked the skill. */
  readonly suspicious: boolean;
}

export interface CompiledChoice {
  readonly matches: (subject: Subject) => boolean;
  /** As written in the configuration, for explanations. */
  readonly written: string;
  readonly choice: Choice;
}

/** Both spellings, so that a rule still matches when another source brings the same id and the catalog qualifies it. */
export function qualifiedIds(id: string, source: string): Subject['ids'] {
  const prefix = `${source}:`;
  const plain = id.startsWith(prefix) ? id.slice(prefix.length) : id;
  return [plain, prefix + plain];
}

export function compileChoice(choice: Choice): CompiledChoice {
  const tests: ((subject: Subject) => boolean)[] = [];
  const criterion = (
    patterns: readonly string[] | undefined,
    textsOf: (subject: Subject) => readonly string[],
    options?: { ignoreCase: boolean },
  ) => {
    if (patterns === undefined) return;
    const match = compilePatterns(patterns, options);
    tests.push((subject) => match(textsOf(subject)) !== undefined);
  };
  criterion(choice.sources, ({ source }) => [source]);
  criterion(choice.skills, ({ ids }) => ids);
  criterion(choice.tags, ({ tags }) => tags, { ignoreCase: true });
  if (choice.suspicious !== undefined) tests.push(({ suspicious }) => suspicious === choice.suspicious);
  return {
    matches: (subject) => tests.every((test) => test(subject)),
    written: JSON.stringify(choice),
    choice,
  };
}

/** True where the choice matches every possible skill, judged by its patterns alone. */
export function isEverything({ choice }: CompiledChoice): boolean {
  const { sources, skills, tags, suspicious } = choice;
  const open = [sources, skills].every(
    (patterns) => patterns === undefined || patterns.some((pattern) => EVERYTHING.includes(pattern)),
  );
  return open && tags === undefined && suspicious === undefined;
}

interface Listed {
  source: string;
  suspicious: boolean;
  readonly tags: string[];
}

const cache = new WeakMap<Reader, ReadonlyMap<number, Subject>>();

/** Of every live document of the snapshot, by ordinal. */
export function listSubjects(reader: Reader): ReadonlyMap<number, Subject> {
  const subjects = cache.get(reader) ?? readSubjects(reader);
  cache.set(reader, subjects);
  return subjects;
}

export function toSubject({ id, source, tags, marks }: CatalogEntry): Subject {
  return {
    ids: qualifiedIds(id, source),
    source,
    tags: tags.map((tag) => tag.toLowerCase()),
    suspicious: marks !== undefined,
  };
}

function readSubjects(reader: Reader): ReadonlyMap<number, Subject> {
  const listed = new Map<number, Listed>();
  for (const { facet, ordinals } of reader.facets()) {
    const cut = facet.indexOf(':');
    const [kind, value] = [facet.slice(0, cut), facet.slice(cut + 1)];
    for (const ordinal of ordinals) {
      const own = listed.get(ordinal) ?? { source: '', suspicious: false, tags: [] };
      listed.set(ordinal, own);
      if (kind === 'source') own.source = value;
      else if (kind === 'tag') own.tags.push(value);
      else if (kind === 'suspicious') own.suspicious = true;
    }
  }
  return new Map(
    Array.from(listed, ([ordinal, own]) => [
      ordinal,
      { ...own, ids: qualifiedIds(reader.key(ordinal), own.source) },
    ]),
  );
}
