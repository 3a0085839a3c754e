/** Builds systems over one corpus, one after the other, and asks each of them the whole dataset. */

import { type Dataset, type Evaluation, evaluate } from '../src/evaluation/public.ts';
import type { Corpus } from './corpus.ts';
import type { Arm } from './systems/arm.ts';

export interface Measured {
  readonly evaluations: readonly Evaluation[];
  /** Arms that did not run, each with the reason. */
  readonly skipped: readonly { readonly system: string; readonly reason: string }[];
}

export interface MeasureOptions {
  /** Names of arms that run whatever the size of the corpus. */
  readonly insisted?: readonly string[];
  readonly onProgress?: (system: string, done: number, total: number) => void;
}

export async function measure(
  arms: readonly Arm[],
  corpus: Corpus,
  dataset: Dataset,
  options: MeasureOptions = {},
): Promise<Measured> {
  const { insisted = [], onProgress } = options;
  const evaluations: Evaluation[] = [];
  const skipped: { system: string; reason: string }[] = [];
  for (const arm of arms) {
    const { name, limit } = arm;
    if (limit !== undefined && corpus.skills.length > limit && !insisted.includes(name)) {
      skipped.push({
        system: name,
        reason: `too slow beyond ${limit} skills; ask for it with --system ${name}`,
      });
      continue;
    }
    onProgress?.(name, 0, dataset.queries.length);
    const built = await arm.build(corpus);
    if (built === null) {
      skipped.push({ system: name, reason: 'this machine lacks what it needs' });
      continue;
    }
    const progress = (done: number, total: number) => onProgress?.(name, done, total);
    evaluations.push(await evaluate({ ...built, name }, dataset, { onProgress: progress }));
  }
  return { evaluations, skipped };
}
