/**
 * The skills that the setting `pinned` names: those that every prompt should know. Which of them fit a prompt, and how they
 * are written there, is `mcp/prompt-lines.ts`.
 */

import type { Reader } from '../../index/reader/reader.ts';
import { entryAt } from '../search/search.ts';

export interface PinnedSkill {
  readonly id: string;
  /** Its name where no other skill shares it, else its id. */
  readonly name: string;
  readonly description: string;
  readonly folder: string;
  readonly file: string;
}

export interface Pinned {
  /** In the order of the pins, and of ids; the first ones, at most `MOST`. */
  readonly skills: readonly PinnedSkill[];
  /** Pinned skills behind them. */
  readonly more: number;
  /** What pins nothing that may stand in a prompt, one sentence each. */
  readonly problems: readonly string[];
}

/** Most skills that are kept: with names alone, more do not fit where they are shown. */
const MOST = 150;
const TAG = 'tag:';
const SOURCE = 'source:';

/**
 * Undefined without pins. A pin is an id with or without its source, a name, `tag:` and a tag, or `source:` and a source. Skills in
 * which the scan found something suspicious are left out: no one chose to read them.
 */
export function pinnedIn(reader: Reader, pins: readonly string[] = []): Pinned | undefined {
  if (pins.length === 0) return undefined;
  const ordinals = new Set<number>();
  const problems: string[] = [];
  for (const pin of pins) {
    const found = ordinalsFor(reader, pin);
    const safe = found.filter((ordinal) => entryAt(reader, ordinal).marks === undefined);
    for (const ordinal of safe) ordinals.add(ordinal);
    if (found.length === 0) problems.push(`pinned: there is no skill ${JSON.stringify(pin)}.`);
    else if (safe.length < found.length)
      problems.push(
        `pinned: ${JSON.stringify(pin)} names skills with suspicious text, which are left out: ${found
          .filter((ordinal) => !safe.includes(ordinal))
          .slice(0, 3)
          .map((ordinal) => reader.key(ordinal))
          .join(', ')}.`,
      );
  }
  const all = [...ordinals];
  return {
    skills: all.slice(0, MOST).map((ordinal) => skillAt(reader, ordinal)),
    more: Math.max(0, all.length - MOST),
    problems,
  };
}

/** In order of id. */
function ordinalsFor(reader: Reader, pin: string): number[] {
  const all = Array.from(reader.ordinalsByKey());
  const facet = pinFacet(pin);
  if (facet !== null) {
    const accept = reader.accept([[facet]]);
    return all.filter((ordinal) => accept[ordinal] === 1);
  }
  const exact = reader.ordinalOf(pin);
  if (exact !== null) return [exact];
  const qualified = all.filter((ordinal) => reader.key(ordinal).endsWith(`:${pin}`));
  return qualified.length > 0 ? qualified : reader.resolve(pin);
}

function pinFacet(pin: string): string | null {
  if (pin.startsWith(TAG)) return `${TAG}${pin.slice(TAG.length).toLowerCase()}`;
  return pin.startsWith(SOURCE) ? pin : null;
}

function skillAt(reader: Reader, ordinal: number): PinnedSkill {
  const { id, name, description, folder, file } = entryAt(reader, ordinal);
  return { id, name: reader.resolve(name).length === 1 ? name : id, description, folder, file };
}
