/** Builds systems over one corpus, one after the other, and asks each all queries of a dataset. */

import type { Dataset } from '../extensions/eval/dataset.ts';
import type { Corpus } from './corpus.ts';
import { evaluate } from './evaluation/evaluate.ts';
import type { Evaluation } from './evaluation/evaluation.ts';
import type { BenchmarkSystem } from './systems/system.ts';

export interface Measured {
  readonly evaluations: readonly Evaluation[];
  /** Systems that did not run, each with the reason. */
  readonly skipped: readonly { readonly system: string; readonly reason: string }[];
}

interface MeasureOptions {
  /** Names of systems that ignore their size limit. */
  readonly forced?: readonly string[];
  readonly onProgress?: (system: string, done: number, total: number) => void;
}

export async function measure(
  systems: readonly BenchmarkSystem[],
  corpus: Corpus,
  dataset: Dataset,
  options: MeasureOptions = {},
): Promise<Measured> {
  const { forced = [], onProgress } = options;
  const evaluations: Evaluation[] = [];
  const skipped: { system: string; reason: string }[] = [];
  for (const system of systems) {
    const { name, maxSkills } = system;
    if (maxSkills !== undefined && corpus.skills.length > maxSkills && !forced.includes(name)) {
      skipped.push({
        system: name,
        reason: `too slow beyond ${maxSkills} skills; ask for it with --system ${name}`,
      });
      continue;
    }
    onProgress?.(name, 0, dataset.queries.length);
    const built = await system.build(corpus);
    if (built === null) {
      skipped.push({ system: name, reason: 'a dependency is missing on this machine' });
      continue;
    }
    const progress = (done: number, total: number) => onProgress?.(name, done, total);
    evaluations.push(await evaluate({ ...built, name }, dataset, { onProgress: progress }));
  }
  return { evaluations, skipped };
}
