/**
 * The block with which hosts show skills to a model (agentskills.io, "Adding skills support"): name, description and
 * the location of the skill file. The gateway decides which skills are in it.
 */

import { join } from 'node:path';
import { clip, count, oneLine } from '../base/text.ts';
import { estimateTokens } from '../gateway/tokens.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';

/** The specification's limit for descriptions, characters. */
export const DESCRIPTION_CHARACTERS = 1_024;

/** One element per skill. If some were left out, a comment says so, because the model may see only the block. */
export function availableSkills(entries: readonly CatalogEntry[], total: number): string {
  const rest =
    entries.length < total
      ? [`<!-- ${count(entries.length)} of ${count(total)} skills; search for the others -->`]
      : [];
  return ['<available_skills>', ...entries.map(element), ...rest, '</available_skills>'].join('\n');
}

/** Tokens that a skill takes in the block. */
export const elementTokens = (entry: CatalogEntry) => estimateTokens(`${element(entry)}\n`);

/** Tokens of the block around its skills, including the comment. */
export const FRAME_TOKENS = 50;

/** The skill file's absolute path, or the skill's URI for remote callers, who get no folders of this machine. */
export const skillLocation = ({ folder, file, uri }: CatalogEntry): string =>
  folder.startsWith('skill://') ? uri : join(folder, file);

function element(entry: CatalogEntry): string {
  const { name, description } = entry;
  return [
    '<skill>',
    `<name>${escaped(oneLine(name))}</name>`,
    `<description>${escaped(clip(description, DESCRIPTION_CHARACTERS))}</description>`,
    `<location>${escaped(oneLine(skillLocation(entry)))}</location>`,
    '</skill>',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string) => text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
