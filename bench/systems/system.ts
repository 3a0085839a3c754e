/** The contract of every compared system: built from one corpus, it is a `System` of `bench/evaluation`. */

import type { Corpus, CorpusSkill } from '../corpus.ts';
import type { System } from '../evaluation/evaluate.ts';

export interface BenchmarkSystem {
  /** The name in tables and on the command line: `[a-z0-9-]+`. */
  readonly name: string;
  /** Its method, in one sentence. */
  readonly about: string;
  /** In a larger catalog it runs only if asked for by name: a query takes seconds. */
  readonly maxSkills?: number;
  /** Builds it over the whole corpus. Null if a dependency is missing on this machine. */
  build(corpus: Corpus): Promise<Omit<System, 'name'> | null>;
}

/** Name and description as one text, for systems that index only these. */
export function cardOf({ name, description }: CorpusSkill): string {
  return `${name}\n${description}`;
}
