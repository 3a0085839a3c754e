/** What a rule chooses: skills by source, id, tag, licence and the scan's marks. All given parts must hold. */

import { EVERYTHING, patternsOf } from './patterns.ts';

/** Values of one part are alternatives; a part that is not given does not restrict; no part at all takes in everything. */
export interface Choice {
  readonly sources?: readonly string[];
  /** By id, with or without `<source>:` before it. */
  readonly skills?: readonly string[];
  /** Case does not matter. A skill without tags has none that `*` could take in. */
  readonly tags?: readonly string[];
  /** Likewise. */
  readonly licenses?: readonly string[];
  readonly suspicious?: boolean;
}

/** What a policy knows of a skill. */
export interface Subject {
  /** Its id without its source before it, and with. */
  readonly ids: readonly [plain: string, qualified: string];
  readonly source: string;
  readonly tags: readonly string[];
  readonly license: string | undefined;
  /** The scan marked it. */
  readonly suspicious: boolean;
}

export interface CompiledChoice {
  readonly takesIn: (subject: Subject) => boolean;
  /** As the configuration has it, for explanations. */
  readonly written: string;
  readonly choice: Choice;
}

/** Both spellings, whichever the catalog uses: a rule goes on holding when another source brings the same id. */
export function idsOf(id: string, source: string): Subject['ids'] {
  const prefix = `${source}:`;
  const plain = id.startsWith(prefix) ? id.slice(prefix.length) : id;
  return [plain, prefix + plain];
}

export function compileChoice(choice: Choice): CompiledChoice {
  const tests: ((subject: Subject) => boolean)[] = [];
  const part = (
    patterns: readonly string[] | undefined,
    textsOf: (subject: Subject) => readonly string[],
    options?: { ignoreCase: boolean },
  ) => {
    if (patterns === undefined) return;
    const match = patternsOf(patterns, options);
    tests.push((subject) => match(textsOf(subject)) !== undefined);
  };
  part(choice.sources, ({ source }) => [source]);
  part(choice.skills, ({ ids }) => ids);
  part(choice.tags, ({ tags }) => tags, { ignoreCase: true });
  part(choice.licenses, ({ license }) => (license === undefined ? [] : [license]), { ignoreCase: true });
  if (choice.suspicious !== undefined) tests.push(({ suspicious }) => suspicious === choice.suspicious);
  return {
    takesIn: (subject) => tests.every((test) => test(subject)),
    written: JSON.stringify(choice),
    choice,
  };
}

/** True where the choice takes in every skill there can be, by its words alone. */
export function isEverything({ choice }: CompiledChoice): boolean {
  const { sources, skills, tags, licenses, suspicious } = choice;
  const open = [sources, skills].every(
    (patterns) => patterns === undefined || patterns.some((pattern) => EVERYTHING.includes(pattern)),
  );
  return open && [tags, licenses, suspicious].every((part) => part === undefined);
}
