/**
 * What is indexed: documents made of passages.
 *
 * The index knows texts, vectors and terms. What a document stands for (a skill, here) is its caller's
 * affair: `payload` comes back with a hit exactly as it went in.
 */

/** What part of its document a passage is. The card is the document's summary and always its first passage. */
export type PassageKind = 'card' | 'body' | 'reference' | 'script';

/** Order of the kinds on disk: a kind is stored as its position here, so new kinds go at the end. */
export const PASSAGE_KINDS: readonly PassageKind[] = ['card', 'body', 'reference', 'script'];

/** A stretch of one file, small enough to be embedded as one vector. */
export interface Passage {
  readonly kind: PassageKind;
  /** File that holds the passage, relative to the document's folder, with `/`. */
  readonly path: string;
  /** Headings above the passage, outermost first; empty before the first heading. */
  readonly heading: readonly string[];
  /** First and last line in the file, 1-based, both included. */
  readonly lines: readonly [from: number, to: number];
  /** Context that is embedded before the text and not shown: the document's name and the heading path. */
  readonly title: string;
  /** The author's words, unchanged. */
  readonly text: string;
}

/** The unit that is searched, added, replaced and removed. */
export interface IndexDocument {
  /** Unique in the index; ties of scores are broken by it, in code-unit order. */
  readonly key: string;
  /** Hex SHA-256 of everything that was indexed: equal digests mean nothing to do. */
  readonly digest: string;
  /** Other strings that find the document with `Reader.resolve`: names and URIs. They need not be unique. */
  readonly aliases: readonly string[];
  /** Values to filter by, such as `source:local` or `tag:postgres`. Compared as whole strings. */
  readonly facets: readonly string[];
  /** Returned with a hit as it was given. Must survive JSON. */
  readonly payload: unknown;
  /** The two short lexical fields; the long ones, body and reference, are made of the passages. */
  readonly name: string;
  readonly description: string;
  /** At least the card. Body and script passages of equal text in two documents mark them as twins. */
  readonly passages: readonly Passage[];
}

/** Lexical fields, in their order on disk. Passages of kind `script` count as reference. */
export const FIELDS = ['name', 'description', 'body', 'reference'] as const;
export type Field = (typeof FIELDS)[number];
