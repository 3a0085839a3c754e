/**
 * Which of the skills that are checked collide, by the same rule as `stats --collisions`. No index is opened: one of the cards and
 * bodies is made in memory, with the shipped model.
 */

import { memoryDirectory } from '../../index/directory/memory.ts';
import type { Embedder } from '../../index/embedder.ts';
import type { IndexDocument } from '../../index/passage.ts';
import { Reader } from '../../index/reader/reader.ts';
import { SegmentWriter } from '../../index/segment/writer.ts';
import { IndexWriter } from '../../index/writer.ts';
import { diagnose } from '../skills/diagnostics.ts';
import type { Diagnostic } from '../skills/skill.ts';
import { collidingPairs } from './collisions.ts';

/** Nothing reads the index again. */
const RECIPE = 'cards';

/** What a skill offers to the index, and the path of its skill file. */
export interface Described {
  readonly document: IndexDocument;
  readonly path: string;
}

/** For each skill that collides a remark that names the closest other one, by its id. */
export async function checkCollisions(
  skills: readonly Described[],
  embedder: Embedder,
): Promise<ReadonlyMap<string, Diagnostic>> {
  const remarks = new Map<string, Diagnostic>();
  if (skills.length < 2) return remarks;
  const reader = await indexOf(skills, embedder);
  const paths = new Map(skills.map(({ document: { key }, path }) => [key, path]));
  const pairs = await collidingPairs({ reader });
  // The closest pairs come first.
  for (const { ids, closeness } of pairs)
    for (const [id, other] of [ids, ids.toReversed()] as const)
      if (!remarks.has(id!))
        remarks.set(
          id!,
          diagnose(
            'description-collides',
            paths.get(id!)!,
            `An agent can hardly tell it from ${other} by name and description (${closeness.toFixed(2)} of 1).`,
            {
              fix: 'Write in each what only that skill does, name the other skill ("not for …: see …"), or remove one of the two.',
              line: 1,
            },
          ),
        );
  reader.close();
  return remarks;
}

async function indexOf(skills: readonly Described[], embedder: Embedder): Promise<Reader> {
  const directory = memoryDirectory();
  const writer = await IndexWriter.open(directory, { embedder, recipe: RECIPE }, 0);
  const segment = new SegmentWriter(embedder, RECIPE);
  await segment.add(
    skills.map(({ document }) => ({
      ...document,
      passages: document.passages.filter(({ kind }) => kind === 'card' || kind === 'body'),
    })),
  );
  writer.commit({ segments: [segment.finish(directory, 'cards.segment')], removed: [] });
  await writer.close();
  return Reader.open(directory, { embedder })!;
}
