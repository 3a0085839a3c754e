/**
 * The block by which hosts show skills to a model (agentskills.io, "Adding skills support"): name, description and,
 * for agents with a file system, where the skill file lies. Which skills are in it is for the gateway.
 */

import type { CatalogEntry } from '../catalog/entry.ts';
import { estimateTokens } from '../gateway/tokens.ts';
import { clip, count, oneLine } from './text.ts';
import { fileOf } from './whereabouts.ts';

/** The specification's limit for descriptions, characters. */
const DESCRIPTION_CHARACTERS = 1_024;

/** One element a skill; where some were left out, a comment says so, since the model may go by the block alone. */
export function availableSkills(entries: readonly CatalogEntry[], total: number): string {
  const rest =
    entries.length < total
      ? [`<!-- ${count(entries.length)} of ${count(total)} skills; search for the others -->`]
      : [];
  return ['<available_skills>', ...entries.map(element), ...rest, '</available_skills>'].join('\n');
}

/** Tokens that a skill takes in the block. */
export const elementTokens = (entry: CatalogEntry) => estimateTokens(`${element(entry)}\n`);

/** Tokens of the block around its skills, the comment included. */
export const FRAME_TOKENS = 50;

function element(entry: CatalogEntry): string {
  const { name, description } = entry;
  return [
    '<skill>',
    `<name>${escaped(oneLine(name))}</name>`,
    `<description>${escaped(clip(description, DESCRIPTION_CHARACTERS))}</description>`,
    `<location>${escaped(oneLine(fileOf(entry)))}</location>`,
    '</skill>',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string) => text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
