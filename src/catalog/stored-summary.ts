/** The summary in the folder of the index, which a server reads before it opens anything. */

import { type Directory, readJson, writeJsonIfPossible } from '../../index/directory/directory.ts';
import type { CatalogSummary } from './summary.ts';

/** A summary with the pins that it was made for. */
interface StoredSummary {
  readonly summary: CatalogSummary;
  readonly pins: readonly string[];
}

const FILE = 'summary.json';

/** The summary stored in the index folder, of any generation; null where there is none or it cannot be read. */
export function readSummary(directory: Directory): StoredSummary | null {
  // Written by `writeSummary`; anything else counts as missing.
  const stored = readJson(directory, FILE) as Partial<StoredSummary> | null | undefined;
  const { summary, pins } = stored ?? {};
  return summary === undefined || pins === undefined ? null : { summary, pins };
}

export const writeSummary = (directory: Directory, stored: StoredSummary): void =>
  writeJsonIfPossible(directory, FILE, stored);
