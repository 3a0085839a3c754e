/**
 * What is indexed: documents made of passages.
 *
 * The index knows texts, vectors and terms, not what a document represents (here, a skill). It returns `payload` with a
 * result exactly as it was given.
 */

/**
 * The role of a passage in its document. The card summarises the document and is always its first passage. A request is what
 * the document answers, and no text of it: it is compared by meaning alone. Requests are the last passages.
 */
export type PassageKind = 'card' | 'body' | 'reference' | 'script' | 'request';

/** Order of the kinds on disk. A kind is stored as its position here, so new kinds go to the end. */
export const PASSAGE_KINDS: readonly PassageKind[] = ['card', 'body', 'reference', 'script', 'request'];

/** A section of one file, small enough for one embedding. */
export interface Passage {
  readonly kind: PassageKind;
  /** Path of the file, relative to the document's folder, with `/`. */
  readonly path: string;
  /** Headings above the passage, outermost first; empty before the first heading. */
  readonly heading: readonly string[];
  /** First and last line in the file, 1-based, inclusive. */
  readonly lines: readonly [from: number, to: number];
  /** Context that is embedded before the text but not shown: the document's name and the heading path. */
  readonly title: string;
  /** The original text, unchanged. */
  readonly text: string;
  /** ISO 639-1 code of the text's language, which decides how its words are stemmed. Default English. */
  readonly language?: string;
}

/** The unit of search, insertion, replacement and removal. */
export interface IndexDocument {
  /** Unique in the index. Breaks ties between scores, in code-unit order. */
  readonly key: string;
  /** Hex SHA-256 of everything indexed. Equal digests mean that nothing changed. */
  readonly digest: string;
  /** Other strings with which `Reader.resolve` finds the document: names and URIs. Not necessarily unique. */
  readonly aliases: readonly string[];
  /** Values for filters, such as `source:local` or `tag:csv`. Compared as whole strings. */
  readonly facets: readonly string[];
  /** Returned with a result as it was given. Must survive JSON. */
  readonly payload: unknown;
  /** The two short lexical fields. Passages provide the long ones, body and reference. */
  readonly name: string;
  readonly description: string;
  /** Language of the two, as for a passage. */
  readonly language?: string;
  /** At least the card. Body and script passages with equal text mark two documents as duplicates. */
  readonly passages: readonly Passage[];
}

/** Lexical fields in their order on disk. Passages of kind `script` count as reference. */
export const FIELDS = ['name', 'description', 'body', 'reference'] as const;
export type Field = (typeof FIELDS)[number];
