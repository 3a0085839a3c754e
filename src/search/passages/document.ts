/**
 * Reads one skill and prepares it for the index: hashes every file, parses the skill file, and splits card, body,
 * references and scripts into passages. Synchronous, because it runs in worker threads. Embedding is a later step.
 */

import type { IndexDocument, Passage } from '../../../index/passage.ts';
import { CODEX_POLICY, restrictByPolicy } from '../../skills/codex-policy.ts';
import { decodeText } from '../../skills/decode.ts';
import { diagnose } from '../../skills/diagnostics.ts';
import { type DigestedFile, digestFiles } from '../../skills/digest.ts';
import { isLfsPointer } from '../../skills/image.ts';
import { parseSkill } from '../../skills/parse.ts';
import {
  isEvalFile,
  MAX_EVAL_BYTES,
  MOST_REQUESTS,
  readRequests,
  requestsOfKeys,
} from '../../skills/requests.ts';
import { servedName } from '../../skills/served.ts';
import type { Audience, Diagnostic, Skill, SkillFile } from '../../skills/skill.ts';
import { findSuspicions, type PlacedMark, SUSPICIONS, withoutColumn } from '../../skills/suspicion.ts';
import { toEntry } from '../../sources/scan/entry.ts';
import type { SkillFolder } from '../../sources/source.ts';
import { cardFields, cardOf, NOT_FOR, NOT_FOR_FACET, nameWords } from './card.ts';
import { MAX_READ, readSkillFile } from './files.ts';
import { type Chunk, chunkReference, chunkText } from './markdown.ts';
import { type PlacedRequest, requestPassages } from './requests.ts';
import { scriptHead } from './scripts.ts';

/** Most passages of one skill: ten times the largest of a public catalog of 24,849. */
const MAX_PASSAGES = 2_000;

/** Bytes read of a skill file: 26 times the longest of that catalog, and a few seconds of work at worst. */
const MAX_SKILL = 4_194_304;

/** Marks kept of a skill: one is enough to make it suspicious. */
const MAX_MARKS = 20;

interface ReadDocument {
  /** Null if there is nothing to index: the skill is disabled, or its skill file cannot be read. */
  readonly document: IndexDocument | null;
  /** Null if the skill file cannot be read. */
  readonly skill: Skill | null;
  /** Of all files; paths are relative to the skill's folder. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The digest of the document that `readDocument` would read, without parsing it; null if the skill file cannot be read. */
export function digestOf({ folder, files }: SkillFolder): string | null {
  const own = new Set(files.map(({ path }) => path));
  const digested: DigestedFile[] = [];
  for (const { path, kind } of files) {
    const read = readSkillFile(folder, path, (found) => own.has(found));
    if (!('fault' in read)) digested.push({ path, sha256: read.sha256 });
    else if (kind === 'skill') return null;
  }
  return digestFiles(digested);
}

/**
 * Never throws, whatever the folder contains. The digest covers every file that could be read. `onFile` gets each of them, for
 * those who check what no index needs.
 */
export function readDocument(
  folder: SkillFolder,
  onFile?: (file: SkillFile, bytes: Uint8Array) => void,
): ReadDocument {
  const diagnostics: Diagnostic[] = [];
  const digested: DigestedFile[] = [];
  const passages: Passage[] = [];
  const marks: PlacedMark[] = [];
  // The user's agent knows better than the author how this user asks, so its requests come first.
  const requests: PlacedRequest[] = (folder.requests ?? []).map((text) => ({ text, path: folder.file }));
  let skill: Skill | null = null;
  let audience: Audience | null = null;
  const paths = new Set(folder.files.map(({ path }) => path));
  const isOwn = (path: string) => paths.has(path);
  for (const file of folder.files) {
    const read = readSkillFile(folder.folder, file.path, isOwn);
    if ('fault' in read) {
      diagnostics.push(read.fault);
      if (file.kind === 'skill') return { document: null, skill: null, diagnostics };
      continue;
    }
    digested.push({ path: file.path, sha256: read.sha256 });
    onFile?.(file, read.bytes);
    if (isLfsPointer(read.bytes)) {
      diagnostics.push(unfetched(file));
      if (file.kind === 'skill') return { document: null, skill: null, diagnostics };
      continue;
    }
    if (file.path === CODEX_POLICY && audience !== null) audience = restrictByPolicy(audience, read.bytes);
    if (file.kind === 'skill') {
      if (file.size > MAX_SKILL) diagnostics.push(cutSkill(file));
      const bytes = read.bytes.subarray(0, MAX_SKILL);
      skill = parseSkill(bytes, { path: folder.file, folder: ownName(folder) });
      audience = skill.audience;
      marks.push(...findSuspicions(decodeText(bytes, file.path).text, file.path));
      diagnostics.push(...skill.diagnostics);
      passages.push(cardOf(skill, folder.file), ...bodyOf(skill, folder.file));
      for (const text of requestsOfKeys(skill.frontmatter)) requests.push({ text, path: folder.file });
    } else if (isEvalFile(file.path)) {
      if (requests.length >= MOST_REQUESTS) continue;
      const written =
        file.size > MAX_EVAL_BYTES ? tooLarge(file, MAX_EVAL_BYTES) : readRequests(read.bytes, file.path);
      for (const text of written.requests) requests.push({ text, path: file.path });
      diagnostics.push(...written.diagnostics);
    } else if (file.kind !== 'asset' && skill?.enabled) {
      const made = read.whole ? passagesOf(file, read.bytes, skill) : tooLarge(file, MAX_READ);
      passages.push(...made.passages);
      marks.push(...made.marks);
      diagnostics.push(...made.diagnostics);
    }
  }
  diagnostics.push(...marks.map(diagnosticOf));
  if (skill === null || !skill.enabled) return { document: null, skill, diagnostics };
  const asked = requestPassages(requests, folder.file);
  diagnostics.push(...asked.diagnostics);
  if (passages.length > MAX_PASSAGES) diagnostics.push(tooManyPassages(passages, folder.file));
  const digest = digestFiles(digested);
  const document = documentOf(folder, skill, {
    digest,
    audience: audience ?? skill.audience,
    passages: [...passages.slice(0, MAX_PASSAGES), ...asked.passages],
    marks: marks.slice(0, MAX_MARKS),
  });
  return { document, skill, diagnostics };
}

function tooManyPassages(passages: readonly Passage[], file: string): Diagnostic {
  const cut = passages[MAX_PASSAGES];
  const message = `The skill has ${passages.length} passages; ${MAX_PASSAGES} are indexed.`;
  const fix = 'Split the skill; the rest can still be read.';
  return diagnose('passages-too-many', cut?.path ?? file, message, { fix, line: cut?.lines[0] ?? 1 });
}

const unfetched = ({ path }: SkillFile) =>
  diagnose('lfs-pointer', path, 'The file is a Git LFS pointer: its contents were not fetched.', {
    fix: 'Fetch it with `git lfs pull`.',
    line: 1,
  });

function documentOf(
  folder: SkillFolder,
  skill: Skill,
  read: {
    readonly digest: string;
    readonly audience: Audience;
    readonly passages: readonly Passage[];
    readonly marks: readonly PlacedMark[];
  },
): IndexDocument {
  const { digest, audience, passages, marks } = read;
  const { id, uri, source, files } = folder;
  const prefix = `${source}:`;
  const plainId = id.startsWith(prefix) ? id.slice(prefix.length) : id;
  const payload = toEntry(folder, skill, digest, marks.map(withoutColumn));
  const aliases = new Set([
    uri,
    payload.uri,
    skill.name,
    servedName(skill, ownName(folder)),
    ownName(folder),
    plainId,
  ]);
  aliases.delete(id);
  const tags = new Set(skill.tags.map((tag) => `tag:${tag.toLowerCase()}`));
  const hasScripts = files.some(({ kind }) => kind === 'script');
  return {
    key: id,
    digest,
    aliases: [...aliases],
    facets: [
      `source:${source}`,
      ...tags,
      `scripts:${hasScripts ? 'yes' : 'no'}`,
      ...new Set([...skill.mcpTools, ...skill.allowedTools].flatMap(toolFacets)),
      ...(skill.license === undefined ? [] : [`license:${skill.license}`]),
      ...(skill.description.match(NOT_FOR) === null ? [] : [NOT_FOR_FACET]),
      ...(audience === 'all' ? [] : [`audience:${audience}`]),
      ...new Set(marks.map((mark) => `suspicious:${mark.id}`)),
    ],
    payload,
    ...cardFields(skill),
    passages,
  };
}

/** `mcp__github__create_issue` is found by itself, by its tool and by its server; `Bash(git:*)` as Bash. */
function toolFacets(written: string): string[] {
  const name = written.replace(/\(.*$/s, '').toLowerCase();
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return [name, server, tool].flatMap((each) =>
    each === undefined || each === '' || each === '*' ? [] : `tool:${each}`,
  );
}

function bodyOf(skill: Skill, path: string): Passage[] {
  const chunks = chunkText(skill.body, skill.bodyLine, skill.sections);
  return chunks.map((chunk) => passageOf('body', path, chunk, titleOf(skill, chunk.heading)));
}

/** What a file other than the skill file contributes. */
interface Contribution {
  readonly passages: readonly Passage[];
  readonly diagnostics: readonly Diagnostic[];
  readonly marks: readonly PlacedMark[];
}

const NOTHING: Contribution = { passages: [], diagnostics: [], marks: [] };

function passagesOf(file: SkillFile, bytes: Uint8Array, skill: Skill): Contribution {
  const { path, kind } = file;
  const { text } = decodeText(bytes, path);
  if (text.slice(0, 8_192).includes('\0')) {
    const message = 'The file has a text extension but binary content.';
    return { ...NOTHING, diagnostics: [diagnose('file-binary', path, message)] };
  }
  if (text.trim() === '') return NOTHING;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (kind === 'script') {
    const head = scriptHead(text, name);
    return {
      passages: [passageOf('script', path, { ...head, heading: [] }, titleOf(skill, []))],
      diagnostics: [],
      marks: [],
    };
  }
  const { chunks, diagnostics } = chunkReference(text, path);
  const stem = nameWords(name.replace(/\.[^.]+$/, ''));
  const passages = chunks.map((chunk) => {
    const context = chunk.heading.length === 0 ? [stem] : chunk.heading;
    return passageOf('reference', path, chunk, titleOf(skill, context));
  });
  return { passages, diagnostics, marks: findSuspicions(text, path) };
}

function passageOf(kind: Passage['kind'], path: string, chunk: Chunk, title: string): Passage {
  return { kind, path, heading: chunk.heading, lines: chunk.lines, title, text: chunk.text };
}

function titleOf(skill: Skill, context: readonly string[]): string {
  return [nameWords(skill.name), ...context].join(' › ');
}

function tooLarge({ path, size }: SkillFile, most: number) {
  const message = `The file has ${size} bytes; files up to ${most} are indexed.`;
  const fix = 'Split the file by topic.';
  return { ...NOTHING, requests: [], diagnostics: [diagnose('file-too-large', path, message, { fix })] };
}

function diagnosticOf({ id, path, line, column, excerpt }: PlacedMark): Diagnostic {
  const message = `${id}: ${SUSPICIONS[id].meaning} Here: ${excerpt}`;
  const fix = 'Remove it. If it is an example, say so and keep it out of copyable commands.';
  return diagnose('suspicious', path, message, { fix, line, column });
}

function cutSkill(file: SkillFile): Diagnostic {
  const message = `The skill file has ${file.size} bytes; the first ${MAX_SKILL} are indexed.`;
  return diagnose('file-too-large', file.path, message, {
    fix: 'Move details to files below references/.',
  });
}

/** The folder's name as the source sees it: the link's name if the folder is reached through one. */
function ownName({ uri }: SkillFolder): string {
  return decodeURIComponent(uri.split('/').at(-2) ?? '');
}
