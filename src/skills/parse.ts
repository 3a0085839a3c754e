/**
 * Parses a SKILL.md tolerantly: bytes → text → front matter and body → fields → Skill. Every problem becomes a
 * diagnostic, never an exception, and no usable text is lost.
 */

import { isDeepStrictEqual } from 'node:util';
import { countLines } from '../base/text.ts';
import { decodeText } from './decode.ts';
import { type DiagnosticId, diagnose } from './diagnostics.ts';
import { judgeFields, readFields } from './fields.ts';
import { type Split, splitFrontMatter, splitShorter, withoutFrontMatter } from './front-matter.ts';
import { findSections, firstParagraph } from './sections.ts';
import type { Diagnostic, Section, Skill } from './skill.ts';
import { isStrict } from './strict.ts';
import { readYaml, type YamlReading } from './yaml.ts';

/** Characters of the body that are searched for a missing description, and the length that is taken. */
const GUESS_FROM = 20_000;
const GUESSED_LENGTH = 1_024;
/** Recommended maximum of the specification, in lines. */
const LONG_BODY = 500;

/** Characters of a file that tell whether it is text, those that no text has, and the share of them that is too much. */
const SNIFFED = 8_192;
const NOT_TEXT = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g;
const NOT_TEXT_SHARE = 0.1;

/** Encoding problems that the protocol's own reader does not accept. */
const NOT_STRICT = ['encoding-utf16', 'encoding-invalid', 'encoding-cr'];

const NO_KEYS: YamlReading = { keys: null, written: new Map(), strict: false, text: null, diagnostics: [] };

/**
 * Never throws, for any bytes. `path` is the skill file's own name. `folder` is its folder's name: the default
 * name, and the name that the specification demands.
 *
 * @example
 * const bytes = new TextEncoder().encode('---\nname: tea\ndescription: Brews tea.\n---\nBoil water.\n');
 * const { name, description, diagnostics } = parseSkill(bytes, { path: 'SKILL.md', folder: 'tea' });
 * console.log(name, description, diagnostics.length);
 */
export function parseSkill(
  bytes: Uint8Array,
  where: { readonly path: string; readonly folder: string },
): Skill {
  const { path, folder } = where;
  const decoded = decodeText(bytes, path);
  const { split, reading } = readFrontMatter(decoded.text, path);
  const fields = readFields(reading, folder);
  const findLine = lineFinder(split);
  const { body, bodyLine } = split;
  let sections: readonly Section[] | undefined;
  const encodingFaults = decoded.diagnostics.some(({ id }) => NOT_STRICT.includes(id));
  return {
    ...fields,
    description: fields.description ?? firstParagraph(body.slice(0, GUESS_FROM)).slice(0, GUESSED_LENGTH),
    frontmatter: reading.keys ?? {},
    body,
    bodyLine,
    // Half a megabyte of hostile Markdown takes almost a second, and not every caller needs them.
    get sections() {
      sections ??= findSections(body, bodyLine);
      return sections;
    },
    strict: isStrict(reading, split, { path, folder, encodingFaults }),
    verbatim: decoded.diagnostics.length === 0 && split.diagnostics.length === 0 && isPlainYaml(reading),
    diagnostics: withoutConsequences([
      ...judgeFile(path),
      ...judgeText(decoded.text, path),
      ...decoded.diagnostics,
      ...split.diagnostics,
      ...reading.diagnostics,
      ...judgeFields(reading, fields, { path, folder, lineOf: findLine }),
      ...judgeBody(split, path),
    ]),
  };
}

/** What follows from another fault is no fault of its own. */
const CONSEQUENCES: readonly (readonly [cause: DiagnosticId, consequences: readonly DiagnosticId[]])[] = [
  ['skill-empty', ['frontmatter-missing', 'name-missing', 'description-missing', 'body-empty']],
  ['skill-binary', ['frontmatter-missing', 'name-missing', 'description-missing', 'body-empty']],
  ['frontmatter-missing', ['name-missing', 'description-missing']],
  ['frontmatter-language', ['name-missing', 'description-missing']],
  ['frontmatter-too-large', ['name-missing', 'description-missing']],
];

function withoutConsequences(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const ids = new Set(diagnostics.map(({ id }) => id));
  const implied = new Set<string>(CONSEQUENCES.flatMap(([cause, names]) => (ids.has(cause) ? names : [])));
  return diagnostics.filter(({ id }) => !implied.has(id));
}

/** Whether the text is YAML, unrepaired, whose values JSON can hold. */
function isPlainYaml({ keys, strict, diagnostics }: YamlReading): boolean {
  // It is reported only where nothing else is.
  const readable = strict || diagnostics.some(({ id }) => id === 'yaml-subset');
  return (
    readable &&
    keys !== null &&
    !Object.hasOwn(keys, '__proto__') &&
    isDeepStrictEqual(JSON.parse(JSON.stringify(keys)), keys)
  );
}

/** The parts of a skill file, and its front matter as it was read. */
export function readFrontMatter(text: string, path: string): { split: Split; reading: YamlReading } {
  const split = splitFrontMatter(text, path);
  if (split.yaml === null) return { split, reading: NO_KEYS };
  const reading = readYaml(split.yaml, split.yamlLine, path);
  if (reading.diagnostics.some(({ severity }) => severity !== 'info')) {
    const shorter = splitShorter(text, split, path);
    const second = shorter?.yaml ? readYaml(shorter.yaml, shorter.yamlLine, path) : null;
    const better = second?.keys && second.diagnostics.length < reading.diagnostics.length;
    if (shorter !== null && second !== null && better) return { split: shorter, reading: second };
  }
  if (reading.keys !== null) return { split, reading };
  return { split: withoutFrontMatter(text, path, reading.diagnostics), reading: NO_KEYS };
}

function judgeFile(path: string): Diagnostic[] {
  if (path === 'SKILL.md') return [];
  const message = `The file name is ${path}.`;
  return [diagnose('file-name', path, message, { fix: 'Rename it to SKILL.md.' })];
}

/** An error, unlike an empty body: there is nothing to find or to load. */
function judgeText(text: string, path: string): Diagnostic[] {
  if (text.trim() === '') {
    const fix = 'Write front matter with name and description, and instructions below it.';
    return [diagnose('skill-empty', path, 'The skill file is empty.', { fix })];
  }
  const start = text.slice(0, SNIFFED);
  const odd = start.match(NOT_TEXT)?.length ?? 0;
  if (odd < NOT_TEXT_SHARE * start.length) return [];
  const message = `The skill file is not text: ${odd} of its first ${start.length} characters are not text.`;
  return [diagnose('skill-binary', path, message, { fix: 'Replace it with a text file.' })];
}

function judgeBody({ body, bodyLine }: Split, path: string): Diagnostic[] {
  if (body.trim() === '') {
    const fix = 'Write what the agent should do.';
    return [diagnose('body-empty', path, 'There are no instructions.', { fix, line: bodyLine })];
  }
  const lines = countLines(body) + 1;
  if (lines <= LONG_BODY) return [];
  const message = `The instructions have ${lines} lines; at most ${LONG_BODY} are recommended.`;
  const fix = 'Move details to files below references/.';
  return [diagnose('body-long', path, message, { fix, line: bodyLine })];
}

/**
 * Returns a function from a top-level key to its line in the file; the front matter's first line if the key is
 * missing.
 */
function lineFinder({ yaml, yamlLine }: Split): (key: string) => number {
  const lines = yaml?.slice(0, 65_536).split('\n') ?? [];
  return (key) => {
    const at = lines.findIndex((line) => line.startsWith(key) && /^[ \t]*:/.test(line.slice(key.length)));
    return at === -1 ? yamlLine : yamlLine + at;
  };
}
