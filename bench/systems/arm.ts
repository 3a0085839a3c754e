/** The contract of everything that is compared: built from one corpus, then a `System` of the evaluation room. */

import type { System } from '../../src/evaluation/public.ts';
import type { Corpus, CorpusSkill } from '../corpus.ts';

/** A way to search that takes part in the benchmark. */
export interface Arm {
  /** As in tables and on the command line; `[a-z0-9-]+`. */
  readonly name: string;
  /** What it does and whose method it is, in one sentence. */
  readonly about: string;
  /** Skills up to which it is run without being asked for by name: beyond, a query takes seconds. */
  readonly limit?: number;
  /** Builds it over the whole corpus. Null where this machine lacks what it needs. */
  build(corpus: Corpus): Promise<Omit<System, 'name'> | null>;
}

/** The card as one text: what systems see that index name and description alone. */
export function cardOf({ name, description }: CorpusSkill): string {
  return `${name}\n${description}`;
}
