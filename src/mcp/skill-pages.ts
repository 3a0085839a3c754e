/** One page of `skills/list`, for the extension and the drafts: as many whole entries as a message may hold. */

import type { Gateway, SkillOnDisk } from '../gateway/gateway.ts';
import type { LeftOut, PublishedSkill, SkillPublisher } from './published-skills.ts';

/** Size limit of a page's entries, bytes of JSON; an entry that alone is larger has a page of its own. */
const PAGE_BYTES = 60_000;
/** Skills read at a time; about one page holds them. */
const BATCH = 32;
/** `_meta` of a page: how many of its skills are left out, by reason. */
const LEFT_OUT_KEY = 'io.github.skillgate/left-out';

export interface Publication {
  readonly onDisk: SkillOnDisk;
  readonly published: PublishedSkill;
}

export interface SkillsPage<Entry> {
  readonly skills: Entry[];
  readonly nextCursor?: string;
  readonly _meta?: { readonly [LEFT_OUT_KEY]: Readonly<Partial<Record<LeftOut, number>>> };
}

/** `entriesOf` returns one entry for each publication, in their order. */
export async function skillsPage<Entry extends object>(
  library: Pick<Gateway, 'publishable'>,
  publisher: SkillPublisher,
  cursor: string | undefined,
  entriesOf: (publications: readonly Publication[]) => Entry[] | Promise<Entry[]>,
): Promise<SkillsPage<Entry>> {
  const skills: Entry[] = [];
  const leftOut: Partial<Record<LeftOut, number>> = {};
  let bytes = 0;
  let after = cursor;
  const page = (more: boolean): SkillsPage<Entry> => ({
    skills,
    ...(more && after !== undefined && { nextCursor: after }),
    ...(Object.keys(leftOut).length > 0 && { _meta: { [LEFT_OUT_KEY]: leftOut } }),
  });
  for (;;) {
    const batch = await library.publishable({ limit: BATCH, cursor: after });
    const outcomes = await publisher.publishAll(batch.skills);
    const publications = outcomes.flatMap((published, at) =>
      typeof published === 'string' ? [] : [{ onDisk: batch.skills[at]!, published }],
    );
    const entries = (await entriesOf(publications)).values();
    for (const [at, outcome] of outcomes.entries()) {
      if (typeof outcome === 'string') {
        leftOut[outcome] = (leftOut[outcome] ?? 0) + 1;
      } else {
        const entry: Entry = entries.next().value!;
        bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
        if (skills.length > 0 && bytes > PAGE_BYTES) return page(true);
        skills.push(entry);
      }
      after = batch.skills[at]!.cursor;
    }
    if (!batch.more) return page(false);
  }
}
