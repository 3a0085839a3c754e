/** Skills and the registry itself as entries of an AI catalog. Says nothing of requests. */

import { createHash } from 'node:crypto';
import type { CatalogEntry, LibraryView } from '../../src/app/extension-api.ts';

export const SKILL_TYPE = 'application/ai-skill';
export const REGISTRY_TYPE = 'application/ai-registry+json';
const SCHEME = 'skill://';

/** Who publishes, and where. */
export interface Publisher {
  readonly publisher: string;
  /** URL of the registry, without a slash at its end. */
  readonly registry: string;
}

/** An entry of the JSON Schema, as far as skills have its fields. */
interface AiCatalogEntry {
  readonly identifier: string;
  readonly displayName: string;
  readonly type: string;
  readonly url: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** Two to five. */
  readonly representativeQueries?: readonly string[];
  readonly version?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

const FEWEST_QUERIES = 2;
const MOST_QUERIES = 5;

/** Entries with the requests of their skills, which are texts of what the caller sees. A skill that has changed since has none. */
export async function entriesWithQueries(
  entries: readonly CatalogEntry[],
  library: Pick<LibraryView, 'current'>,
  publisher: Publisher,
): Promise<AiCatalogEntry[]> {
  const { reader } = await library.current();
  const { passages } = reader;
  return entries.map((entry) => {
    const ordinal = reader.ordinalOf(entry.id);
    if (ordinal === null || (reader.payload(ordinal) as CatalogEntry).digest !== entry.digest)
      return toAiCatalogEntry(entry, publisher, []);
    const requests = passages.kinds(ordinal).flatMap((kind, at) => (kind === 'request' ? at : []));
    const queries = requests.slice(0, MOST_QUERIES).map((at) => passages.get(ordinal, at).text);
    return toAiCatalogEntry(entry, publisher, queries);
  });
}

/** The URL is that of the skill file; the skill's other files lie next to it, as its links say. */
function toAiCatalogEntry(
  entry: CatalogEntry,
  { publisher, registry }: Publisher,
  queries: readonly string[],
): AiCatalogEntry {
  const { title, name, uri, description, tags, version, source, digest, license, marks = [] } = entry;
  const suspicions = [...new Set(marks.map((mark) => mark.id))];
  return {
    identifier: toIdentifier(publisher, entry),
    displayName: title ?? name,
    type: SKILL_TYPE,
    url: `${registry}/skills/${uri.slice(SCHEME.length)}`,
    ...(description !== '' && { description }),
    ...(tags.length > 0 && { tags }),
    ...(queries.length >= FEWEST_QUERIES && { representativeQueries: queries }),
    ...(version !== undefined && { version }),
    metadata: {
      name,
      source,
      // Over paths and contents of all its files.
      digest: `sha256:${digest}`,
      ...(license !== undefined && { license }),
      ...(suspicions.length > 0 && { suspicious: suspicions.join(' ') }),
    },
  };
}

/** The URI of the file that a path of the registry leads to; null for another path. */
export const toSkillUri = (path: string): string | null =>
  path.startsWith('skills/') ? SCHEME + path.slice('skills/'.length) : null;

/**
 * Its source and the segments of its id, also where the id alone needs no source. Where one of them has characters that no identifier
 * has, a digest keeps it unique.
 */
function toIdentifier(publisher: string, { id, source }: Pick<CatalogEntry, 'id' | 'source'>): string {
  const path = id.startsWith(`${source}:`) ? id.slice(source.length + 1) : id;
  const segments = [source, ...path.split('/')];
  const plain = segments.map((segment) => segment.replace(/[^a-zA-Z0-9._-]+/g, '-') || '-');
  if (segments.some((segment, at) => segment !== plain[at]))
    plain.push(createHash('sha256').update(path).digest('hex').slice(0, 12));
  return ['urn:air', publisher, ...plain].join(':');
}

export const registryIdentifier = (publisher: string) => `urn:air:${publisher}:registry:skillgate`;
