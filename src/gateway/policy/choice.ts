/** Selects skills by source, id, tag and the scan's marks. All given criteria must match. */

import { EVERYTHING, patternsOf } from './patterns.ts';

/** Values of one criterion are alternatives. An absent criterion does not restrict; without any, every skill matches. */
export interface Choice {
  readonly sources?: readonly string[];
  /** Patterns of ids, with or without the prefix `<source>:`. */
  readonly skills?: readonly string[];
  /** Case is ignored. A skill without tags matches no pattern, not even `*`. */
  readonly tags?: readonly string[];
  readonly suspicious?: boolean;
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
export function idsOf(id: string, source: string): Subject['ids'] {
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
    const match = patternsOf(patterns, options);
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
