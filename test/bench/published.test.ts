/** The texts of the published sets stay out of everything that is trained or tuned. Needs the sets (SKILLGATE_SHARED_DATA). */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../bench/evaluation/bm25.ts';
import { here } from '../../bench/paths.ts';
import { PUBLISHED_SETS, withPublished } from '../../bench/published.ts';

const isHere = process.env.SKILLGATE_SHARED_DATA !== undefined;

/** Where queries are for training and tuning, and the scripts that read them. */
const FOLDERS = ['../models/train', 'datasets', '../test/fixtures', '../examples'].map(here);
const SCRIPTS = ['tune.ts', 'confidence.ts', 'word-weights.ts', 'learn.ts'].map(here);

/** Words in a row that two texts share only by copying: "I would like to know if there is a" are nine. */
const RUN = 12;

/** Runs of words of a text; the text itself where it is shorter. */
function runsOf(text: string): string[] {
  const words = wordsOf(text);
  const count = Math.max(1, words.length - RUN + 1);
  return Array.from({ length: count }, (_, at) => words.slice(at, at + RUN).join(' '));
}

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:jsonl?|tsv|md|txt|py)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

describe('the published sets', () => {
  it.skipIf(!isHere)(
    'share no text with any file of training or tuning',
    async () => {
      const known = new Set<string>();
      await withPublished(undefined, async (folder) => {
        for (const { queries, skills } of PUBLISHED_SETS) {
          const lines = readFileSync(join(folder, queries, 'queries.jsonl'), 'utf8')
            .trim()
            .split('\n');
          const descriptions = readdirSync(join(folder, skills)).map(
            (skill) =>
              /^description: (.*)$/m.exec(
                readFileSync(join(folder, skills, skill, 'SKILL.md'), 'utf8'),
              )?.[1] ?? '',
          );
          for (const text of [
            ...lines.map((line) => (JSON.parse(line) as { text: string }).text),
            ...descriptions,
          ])
            if (wordsOf(text).length > 4) for (const run of runsOf(text)) known.add(run);
        }
      });
      expect(known.size).toBeGreaterThan(20_000);
      const files = FOLDERS.flatMap(filesOf);
      expect(files.length).toBeGreaterThan(100);
      const copied = files.filter((file) =>
        readFileSync(file, 'utf8')
          .split('\n')
          .flatMap((line) => line.match(/"(?:[^"\\]|\\.)*"/g) ?? [line])
          .some((text) => runsOf(text).some((run) => known.has(run))),
      );
      expect(copied).toEqual([]);
    },
    120_000,
  );

  it('are read by no script that fits anything', () => {
    for (const script of SCRIPTS)
      expect(readFileSync(script, 'utf8')).not.toMatch(/published|toollens|metatool|toolret/i);
  });
});
