/** Where somebody begins who does not know the catalog: its themes, and requests that its skills say they are for. */

import type { LibraryView } from '../../src/catalog/library.ts';
import { entryAt } from '../../src/search/search.ts';
import type { Start } from './api.ts';

/** Requests that are given, and their length, characters. */
const EXAMPLES = 6;
const SHORTEST = 12;
const LONGEST = 70;
/** What follows is a situation, up to the end of the clause. */
const WHEN =
  /\bwhen (?:the user |a user |users? |you |somebody |someone )?(?:wants? to |needs? to |asks? (?:for|to|about) )?([^.,;:()]+)/i;

export async function startView(view: LibraryView): Promise<Start> {
  const { themes } = await view.summary();
  const { reader } = await view.current();
  const found = new Set<string>();
  // One of each theme, the largest first, then a second one.
  for (const turn of [0, 1, 2])
    for (const { samples } of themes) {
      const [ordinal] = samples[turn] === undefined ? [] : reader.resolve(samples[turn]);
      const example = ordinal === undefined ? null : exampleIn(entryAt(reader, ordinal).description);
      if (example !== null && found.size < EXAMPLES) found.add(example);
    }
  return { examples: [...found], themes: themes.map(({ label, skills }) => ({ label, skills })) };
}

/** What a description says it is for, in the words of somebody who asks. */
function exampleIn(description: string): string | null {
  const text = WHEN.exec(description)?.[1]?.replace(/\s+/g, ' ').trim() ?? '';
  return text.length >= SHORTEST && text.length <= LONGEST ? text : null;
}
