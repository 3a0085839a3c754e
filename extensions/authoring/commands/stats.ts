/** `skillgate stats`: prints what the catalog and the index hold. */

import type { CommonOptions } from '../../../src/app/extension-api.ts';
import { counted } from '../../../src/base/text.ts';
import { withLibrary } from '../../../src/cli/commands/with-gateway.ts';
import { colours, print, printReport } from '../../../src/cli/output.ts';
import { openGateway } from '../../../src/gateway/pipeline.ts';
import { findUnnamedTools, printUnnamedTools } from '../../remote-sources/uncovered-tools.ts';
import { type Collisions, collisions } from '../collisions.ts';

export interface StatsOptions extends CommonOptions {
  readonly collisions?: boolean;
  readonly all?: boolean;
}

export async function stats(options: StatsOptions): Promise<void> {
  await withLibrary(options, async (library, settings) => {
    // Updates the index before the summary reads it.
    const searchable = await library.current();
    const { reader } = searchable;
    const summary = await openGateway(library).summary();
    const { manifest } = reader;
    const index = {
      folder: settings.indexFolder,
      generation: manifest.generation,
      createdAt: manifest.createdAt,
      model: manifest.embedder.id,
      dimensions: manifest.embedder.dimensions,
      passages: reader.passageCount,
      segments: manifest.segments.length,
      bytes: manifest.segments.reduce((sum, segment) => sum + segment.bytes, 0) + (manifest.hnsw?.bytes ?? 0),
      vectors: (await reader.openVectors()).kind,
      hnswRecall: manifest.hnsw?.recall ?? null,
    };
    const unnamed = await findUnnamedTools(settings);
    const most = options.all === true ? Number.POSITIVE_INFINITY : MAX_COLLISIONS;
    const found = options.collisions === true ? await collisions(searchable, most) : undefined;
    if (options.json === true) {
      printReport({ ...summary, index, ...unnamed, collisions: found });
      return;
    }
    print(
      `${counted(summary.skills, 'skill')} (${summary.references} with references), ${counted(index.passages, 'passage')}`,
    );
    for (const { name, skills } of summary.sources) print(`  ${name}: ${skills}`);
    if (summary.sampled !== undefined)
      print(`  themes of ${counted(summary.sampled, 'skill')}, evenly spaced over the ids:`);
    for (const { label, skills, samples } of summary.themes)
      print(`  ${colours.bold(label)} (about ${skills}): ${samples.join(', ')}`);
    print(`index ${index.folder}`);
    print(
      `  generation ${index.generation} of ${index.createdAt}, ${(index.bytes / 1e6).toFixed(1)} MB, ${counted(index.segments, 'segment')}`,
    );
    print(`  ${index.model}, ${index.dimensions} dimensions, ${index.vectors} vectors`);
    if (index.hnswRecall !== null)
      print(`  HNSW recall@10 ${index.hnswRecall.toFixed(4)} against the exact scan`);
    printUnnamedTools(unnamed);
    if (found !== undefined) showCollisions(found);
  });
}

/** Pairs that are examined and printed by default; further pairs are only counted. */
const MAX_COLLISIONS = 20;

function showCollisions({ skills, total, pairs }: Collisions): void {
  if (total === 0) {
    const none = `No two of ${skills} skills are hard to tell apart by name and description.`;
    print(skills < 2 ? `There are no two skills to compare: the catalog has ${skills}.` : none);
    return;
  }
  print(
    `${counted(total, 'pair')} of skills that are hard to tell apart by name and description, the hardest first:`,
  );
  for (const { ids, closeness, shadowing } of pairs) {
    print(`  ${closeness.toFixed(3)}  ${ids[0]}`);
    print(`         ${ids[1]}`);
    const verdict =
      shadowing === null
        ? 'each comes first for its own description'
        : `${colours.bold(shadowing)} comes first for both descriptions`;
    print(`         ${colours.dim(verdict)}`);
  }
  if (total > pairs.length) print(colours.dim(`  and ${total - pairs.length} more; --all lists them`));
  print(
    'Write in each description what only that skill does, or name the other one ("not for …: see other-skill"), or remove one of the two.',
  );
}
