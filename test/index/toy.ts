/** Test doubles for the index: a deterministic embedder, and documents in one line. */

import { createHash } from 'node:crypto';
import type { Embedder } from '../../index/embedder.ts';
import type { IndexDocument, PassageKind } from '../../index/passage.ts';

const DIMENSIONS = 32;

/** Hashes words into 32 bins, unit length: texts with common words are near each other. */
export function toyEmbedder(id = 'toy'): Embedder & { embedded: string[] } {
  const embedded: string[] = [];
  const embed = (text: string) => {
    const vector = new Float32Array(DIMENSIONS);
    for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? [])
      vector[createHash('md5').update(word).digest()[0]! % DIMENSIONS]! += 1;
    const length = Math.hypot(...vector);
    return length > 0 ? vector.map((value) => value / length) : vector;
  };
  return {
    id,
    dimensions: DIMENSIONS,
    embedded,
    async embedPassages(texts) {
      embedded.push(...texts);
      const rows = new Float32Array(texts.length * DIMENSIONS);
      for (const [at, text] of texts.entries()) rows.set(embed(text), at * DIMENSIONS);
      return rows;
    },
    embedQuery: async (text) => embed(text),
  };
}

/** A document with these words as name, card and body; `more` adds or replaces parts. */
export function toyDocument(
  key: string,
  description: string,
  body: readonly string[] = [],
  more: Partial<IndexDocument> & { references?: readonly string[] } = {},
): IndexDocument {
  const { references = [], ...rest } = more;
  const passage = (kind: PassageKind, path: string, text: string, line: number) => ({
    kind,
    path,
    heading: kind === 'card' ? [] : [`Part ${line}`],
    lines: [line, line] as const,
    title: kind === 'card' ? '' : key,
    text,
  });
  return {
    key,
    digest: createHash('sha256')
      .update(JSON.stringify([key, description, body, references]))
      .digest('hex'),
    aliases: [],
    facets: [],
    payload: { id: key, description },
    name: key.split('/').at(-1) ?? key,
    description,
    passages: [
      passage('card', 'SKILL.md', `${key}: ${description}`, 1),
      ...body.map((text, at) => passage('body', 'SKILL.md', text, at + 2)),
      ...references.map((text, at) => passage('reference', 'references/more.md', text, at + 1)),
    ],
    ...rest,
  };
}
