/** Loading one skill: its instructions as the author wrote them, its outline, and the files of its folder. */

import { LRUCache } from 'lru-cache';
import { quoted } from '../base/text.ts';
import { hashBytes } from '../skills/digest.ts';
import { parseSkill } from '../skills/parse.ts';
import { headingAnchor } from '../skills/sections.ts';
import type { Section, Skill } from '../skills/skill.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import {
  GatewayError,
  HEADING_SEPARATOR,
  type LoadedFile,
  type LoadedSkill,
  type LoadRequest,
} from './gateway.ts';
import { gone } from './resolve.ts';
import { demandParsable, readSkillFile } from './skill-files.ts';
import { DEFAULT_TOKENS, sliceLines, splitLines } from './tokens.ts';

/** Throws `SKILL_GONE`, `FILE_TOO_LARGE` or `SECTION_UNKNOWN`. `files` are the skill's. */
export async function loadSkill(
  entry: CatalogEntry,
  request: Omit<LoadRequest, 'skill' | 'query'>,
  files: readonly LoadedFile[],
): Promise<Omit<LoadedSkill, 'shortId'>> {
  const { skill, lines } = await openSkill(entry, files);
  const maxTokens = request.maxTokens ?? DEFAULT_TOKENS;
  const [from, to] =
    request.section === undefined ? bodyRange(skill, lines) : sectionRange(skill.sections, request.section);
  const outline = skill.sections
    .filter(({ level }) => level > 0)
    .map(({ heading, level, lines: [line] }) => ({ heading: heading.at(-1) ?? '', level, line }));
  const instructions = sliceLines(lines, from, to, maxTokens);
  return { entry: asWritten(entry, skill), instructions, outline, files, frontmatter: skill.frontmatter };
}

/** The entry with what the skill file says now, which may be newer than the index. */
function asWritten(entry: CatalogEntry, skill: Skill): CatalogEntry {
  const { name, title, description, version, tags, license, allowedTools, mcpTools } = skill;
  const { title: _title, license: _license, version: _version, ...kept } = entry;
  const optional = { title, license, version };
  return { ...kept, name, description, tags, allowedTools, mcpTools, ...optional };
}

/** The skill file as it is on disk now, decoded as the parser does. */
async function openSkill(entry: CatalogEntry, files: readonly LoadedFile[]): Promise<Opened> {
  const bytes = await readSkillFile(entry, entry.file, files);
  if (bytes === null) {
    const isElsewhere = files.some(({ path, bytes: remote }) => path === entry.file && remote !== undefined);
    const reason = isElsewhere
      ? `its server does not give ${entry.file} as it listed it, or is away`
      : `${entry.file} does not exist or cannot be read`;
    throw gone(entry, reason);
  }
  demandParsable(entry.file, bytes.length);
  return parsedOnce(bytes, { path: entry.file, folder: folderName(entry) });
}

interface Opened {
  readonly skill: Skill;
  /** The front matter above the body is blank lines. */
  readonly lines: readonly string[];
}

type Where = Parameters<typeof parseSkill>[1];

/** A file of this size, bytes, keeps the event loop busy for some ms: many callers that load it share one reading. */
const SHARED_BYTES = 2 ** 16;
/** The last ones, by what they were read from. */
const shared = new LRUCache<string, Opened>({ max: 4 });

function parsedOnce(bytes: Uint8Array, where: Where): Opened {
  if (bytes.length < SHARED_BYTES) return parsed(bytes, where);
  const key = JSON.stringify([where.path, where.folder, hashBytes(bytes)]);
  const opened = shared.get(key) ?? parsed(bytes, where);
  shared.set(key, opened);
  return opened;
}

function parsed(bytes: Uint8Array, where: Where): Opened {
  const skill = parseSkill(bytes, where);
  return { skill, lines: splitLines('\n'.repeat(skill.bodyLine - 1) + skill.body) };
}

/** The folder's name as the index knows it: the last part of the id. */
const folderName = ({ id }: CatalogEntry) => id.split(/[/:]/).at(-1) ?? id;

/** The body without blank lines at its ends. */
function bodyRange(skill: Skill, lines: readonly string[]): [number, number] {
  let from = skill.bodyLine;
  let to = lines.length;
  while (from < to && lines[from - 1]?.trim() === '') from += 1;
  while (to > from && lines[to - 1]?.trim() === '') to -= 1;
  return [from, to];
}

/**
 * First and last line of the section with that heading, its subsections included. `wanted` is the heading or its whole
 * path; case and surrounding space are ignored. Of several matches the first counts.
 */
export function sectionRange(sections: readonly Section[], wanted: string): [number, number] {
  const target = plain(wanted);
  return rangeWhere(
    sections,
    ({ heading }) =>
      plain(heading.at(-1) ?? '') === target || plain(heading.join(HEADING_SEPARATOR)) === target,
    wanted,
  );
}

/** The same for the anchor of a heading, as code hosts derive it. */
export function anchorRange(sections: readonly Section[], anchor: string): [number, number] {
  const target = anchor.normalize('NFC').toLowerCase();
  return rangeWhere(sections, ({ heading }) => headingAnchor(heading.at(-1) ?? '') === target, `#${anchor}`);
}

/** Composed characters, because file systems and editors differ in what they write. */
const plain = (text: string) =>
  text
    .replace(/^#+\s*/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .normalize('NFC')
    .toLowerCase();

function rangeWhere(
  sections: readonly Section[],
  matches: (section: Section) => boolean,
  wanted: string,
): [number, number] {
  const at = sections.findIndex((section) => section.level > 0 && matches(section));
  const section = sections[at];
  if (section === undefined) {
    const headings = sections
      .filter(({ level }) => level > 0)
      .map(({ heading }) => heading.join(HEADING_SEPARATOR));
    const advice =
      headings.length > 0
        ? `The headings are: ${headings.slice(0, 40).join('; ')}.`
        : 'The file has no headings.';
    throw new GatewayError('SECTION_UNKNOWN', `There is no heading ${quoted(wanted)}. ${advice}`, {
      data: { headings },
    });
  }
  const rest = sections.slice(at + 1);
  const below = rest.findIndex(({ level }) => level <= section.level);
  const last = below === -1 ? (rest.at(-1) ?? section) : (rest[below - 1] ?? section);
  return [section.lines[0], last.lines[1]];
}
