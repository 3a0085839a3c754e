/** `skillgate list`: prints the skills by id. */

import type { CommonOptions } from '../../app/settings.ts';
import { counted, named } from '../../base/text.ts';
import type { Pinned } from '../../catalog/pinned.ts';
import { estimateTokens } from '../../gateway/tokens.ts';
import { PINNED_TOKENS, pinnedLine } from '../../mcp/prompt-lines.ts';
import { listResult } from '../../mcp/tools/list-skills.ts';
import type { CatalogEntry } from '../../sources/scan/entry.ts';
import { clip, colours, countColumns, print, printJson, say, width } from '../output.ts';
import { withGateway } from './with-gateway.ts';

const GAP = '  ';
const INDENT = '    ';
/** Columns that a description needs next to an id; with fewer it has a line of its own. */
const LEAST = 24;
/** Entries per request while listing all. */
const PAGE_SIZE = 200;

export interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
  readonly pinned?: boolean;
}

export async function list(options: ListOptions): Promise<void> {
  await withGateway(
    options,
    async (gateway) => {
      if (options.pinned === true) return showPinned((await gateway.summary()).pinned, options);
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
      if (options.json === true) printJson(listResult({ total, entries: skills, nextCursor: cursor }));
      else show(skills, cursor);
      // The list says of each skill what was found in it.
    },
    { warns: options.json === true },
  );
}

/** What the instructions of a server show of the pinned skills, and what is wrong with the setting. */
function showPinned(pinned: Pinned | undefined, { json }: ListOptions): void {
  const line = pinnedLine(pinned);
  const {
    skills = [],
    more = 0,
    problems = ['Nothing is pinned. Name skills in the setting "pinned".'],
  } = pinned ?? {};
  const tokens = line === undefined ? 0 : estimateTokens(line);
  if (json === true) {
    printJson({
      skills: skills.map(({ id, name, description }) => ({ id, name, description })),
      total: skills.length + more,
      problems,
      line: line ?? null,
      tokens,
    });
    return;
  }
  for (const problem of problems) say(colours.yellow(problem));
  if (line === undefined) return;
  print(line);
  say(colours.dim(`${counted(skills.length + more, 'skill')}, about ${tokens} of ${PINNED_TOKENS} tokens.`));
}

function show(skills: readonly CatalogEntry[], cursor: string | undefined): void {
  for (const { id: exact, description, marks: [mark] = [] } of skills) {
    const id = named(exact);
    const room = width() - countColumns(id) - GAP.length;
    if (room < LEAST) {
      print(colours.bold(id));
      print(`${INDENT}${clip(description, width() - INDENT.length)}`);
    } else print(`${colours.bold(id)}${GAP}${clip(description, room)}`);
    if (mark !== undefined)
      print(
        `${INDENT}${colours.yellow(clip(`suspicious: ${mark.id} in ${mark.path}:${mark.line}`, width() - INDENT.length))}`,
      );
  }
  if (cursor !== undefined) say(colours.dim(`More: --cursor ${cursor}`));
}
