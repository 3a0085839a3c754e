/** A skill's own page: what it is, what it costs, what is wrong with it; and the text of its files. */

import type { CatalogEntry, LibraryView } from '../../src/app/extension-api.ts';
import { loadSkill } from '../../src/gateway/load-skill.ts';
import { readReference } from '../../src/gateway/read-reference.ts';
import { resolveSkill } from '../../src/gateway/resolve.ts';
import { findFiles } from '../../src/gateway/skill-files.ts';
import { estimateTokens } from '../../src/gateway/tokens.ts';
import type { Searchable } from '../../src/search/search.ts';
import { rankChanges } from '../authoring/ranks.ts';
import type { Api, FileText, RankChange, SkillPage } from './api.ts';
import { requestsIn } from './examples.ts';
import { remarksOn } from './remarks.ts';
import { rendered } from './rendered.ts';
import { callsIn, queriesFinding } from './use.ts';

/** Last queries that are named. */
const REQUESTS = 12;
/** Largest picture that is sent, characters of base64. */
const MAX_PICTURE = 4_000_000;
/** Largest text that is shown, tokens: what `read_reference` gives at most. */
const MAX_TOKENS = 50_000;
/** Longest text that is rendered, characters: hostile Markdown of that size takes a second. */
const RENDERED = 2 ** 19;

interface SkillOptions {
  readonly auditFile: string | null;
  /** Whose calls are counted; null for all callers. */
  readonly who: string | null;
  /** True where the caller works on this machine, where the skill's folder can be opened. */
  readonly local: boolean;
}

export async function skillView(
  wanted: string,
  view: LibraryView,
  { auditFile, who, local }: SkillOptions,
): Promise<SkillPage> {
  const { reader, precedence } = await view.current();
  const entry = resolveSkill(reader, wanted, precedence);
  const { id, name, source, description, tags, license, needs = [], file, folder } = entry;
  const files = await findFiles(view, entry);
  const asked = queriesFinding(callsIn(auditFile, who) ?? [], id, REQUESTS);
  return {
    id,
    name,
    source,
    description,
    tags,
    license,
    needs,
    file,
    folder: local ? folder : undefined,
    files: files.map(({ path }) => path),
    listedTokens: estimateTokens(`${name}${description}`),
    loadedTokens: await loadedTokens(entry, files),
    remarks: await remarksOn(entry, view),
    requests: [...new Set([...requestsIn(description), ...asked])],
  };
}

/** The text of one of the skill's files, as it is on disk now. */
export async function fileView(wanted: string, path: string, view: LibraryView): Promise<FileText> {
  const { reader, precedence } = await view.current();
  const entry = resolveSkill(reader, wanted, precedence);
  const files = await findFiles(view, entry);
  const read = await readReference(entry, { path, maxTokens: MAX_TOKENS }, files);
  if (read.kind === 'image') {
    const isSmall = read.base64.length <= MAX_PICTURE;
    return { path: read.path, mimeType: read.mimeType, ...(isSmall && { base64: read.base64 }) };
  }
  const { text, truncated } = read.slice;
  const paths = new Set(files.map((file) => file.path));
  const isRendered = read.mimeType === 'text/markdown' && text.length <= RENDERED;
  return {
    path: read.path,
    mimeType: read.mimeType,
    text,
    truncated,
    ...(isRendered && { rendered: rendered(text, read.path, paths) }),
  };
}

/** What another description of the skill would change over a set of queries. */
export async function draftRanks(
  { skill, ...draft }: Api['ranks']['request'],
  index: Searchable,
): Promise<readonly RankChange[]> {
  const { reader, precedence } = index;
  const ordinal = reader.ordinalOf(resolveSkill(reader, skill, precedence).id)!;
  return rankChanges({ ordinal, accept: reader.accept([]), ...draft }, index);
}

/** What an agent pays that loads the skill, without its other files; 0 where its file cannot be read. */
async function loadedTokens(
  entry: CatalogEntry,
  files: Awaited<ReturnType<typeof findFiles>>,
): Promise<number> {
  try {
    const { instructions } = await loadSkill(entry, { maxTokens: MAX_TOKENS }, files);
    return estimateTokens(instructions.text);
  } catch {
    return 0;
  }
}
