/** `skillgate list`: prints the skills by id. */

import type { CommonOptions } from '../../app/settings.ts';
import { wholeResults } from '../../mcp/whole-results.ts';
import type { CatalogEntry } from '../../sources/scan/entry.ts';
import { clip, colours, print, printJson, say, width } from '../output.ts';
import { withGateway } from './with-gateway.ts';

/** Entries per request while listing all. */
const PAGE_SIZE = 200;

export interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

export async function list(options: ListOptions): Promise<void> {
  await withGateway(options, async (gateway) => {
    const skills: CatalogEntry[] = [];
    let cursor = options.cursor;
    let total = 0;
    do {
      const page = await gateway.list({
        limit: options.limit ?? PAGE_SIZE,
        cursor,
      });
      skills.push(...page.entries);
      total = page.total;
      cursor = page.nextCursor;
    } while (options.limit === undefined && cursor !== undefined);
    if (options.json === true) printJson(wholeResults.list({ total, entries: skills, nextCursor: cursor }));
    else show(skills, cursor);
  });
}

function show(skills: readonly CatalogEntry[], cursor: string | undefined): void {
  for (const { id, description } of skills)
    print(`${colours.bold(id)}  ${clip(description, Math.max(20, width() - id.length - 2))}`);
  if (cursor !== undefined) say(colours.dim(`More: --cursor ${cursor}`));
}
