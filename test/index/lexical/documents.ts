/** Small random documents of words that are their own terms, so tests can count them. */

import fc from 'fast-check';
import type { FieldAverages } from '../../../index/lexical/postings/bm25f.ts';
import { type LexicalDocument, PostingsBuilder } from '../../../index/lexical/postings/builder.ts';
import type { LexicalColumns } from '../../../index/lexical/postings/columns.ts';
import { LexicalSearch } from '../../../index/lexical/query/search.ts';

/** Each is one term, unchanged by stemming. */
export const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'omega', 'x1', '汉字'] as const;

export const phrase = (maxLength: number) =>
  fc.array(fc.constantFrom(...WORDS), { maxLength }).map((words) => words.join(' '));

export const anyDocument: fc.Arbitrary<LexicalDocument> = fc.record({
  name: phrase(3),
  description: phrase(6),
  passages: fc
    .array(fc.record({ kind: fc.constantFrom('body', 'reference', 'script'), text: phrase(10) }), {
      maxLength: 4,
    })
    .map((passages) => [{ kind: 'card' as const, text: 'the card is not analysed' }, ...passages]),
});

export const anyDocuments = fc.array(anyDocument, { maxLength: 8 });

/** Columns of documents. */
export function built(documents: readonly LexicalDocument[], averages?: FieldAverages): LexicalColumns {
  const builder = new PostingsBuilder();
  for (const document of documents) builder.add(document);
  return builder.build(averages);
}

/** A document of a name, a description and one body passage. */
export function written(name: string, description = '', body = ''): LexicalDocument {
  return {
    name,
    description,
    passages: [
      { kind: 'card', text: '' },
      { kind: 'body', text: body },
    ],
  };
}

/** A search over one segment with these documents, all living. */
export const searchOf = (documents: readonly LexicalDocument[]) =>
  new LexicalSearch([built(documents)], documents.length);
