/**
 * YAML that others wrote, parsed in time that is bounded by its number of tokens. The `yaml` package takes time quadratic in the
 * number of keys of a mapping (it compares each with all), and in that of faults (it quotes the text and records the stack for each).
 * What the document means is decided by its reader.
 */

import {
  type Document,
  type DocumentOptions,
  isScalar,
  Lexer,
  type ParseOptions,
  parseDocument,
  type SchemaOptions,
  visit,
} from 'yaml';

type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/**
 * Tokens of the text: words, signs, line ends and indentations, and backslashes, each of which can be a fault. 4,000 take the parser at
 * most 15 ms. Counts to `most + 1`, and no further.
 */
export function countTokens(text: string, most: number): number {
  let count = 0;
  for (const token of new Lexer().lex(text)) {
    count += 1;
    for (let at = token.indexOf('\\'); at >= 0; at = token.indexOf('\\', at + 1)) count += 1;
    if (count > most) return most + 1;
  }
  return count;
}

/** Parses without comparing keys: see `duplicateKeys`. Errors have a position and no stack. May throw where nesting exhausts the stack. */
export function parseYaml(
  text: string,
  options: Omit<YamlOptions, 'prettyErrors' | 'uniqueKeys'> = {},
): Document.Parsed {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parseDocument(text, { ...options, prettyErrors: false, uniqueKeys: false });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Removes repeated keys from the mappings of a document, except the first; returns their offsets, in order. */
export function removeDuplicateKeys(document: Document.Parsed): number[] {
  const offsets: number[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      map.items = map.items.filter(({ key }) => {
        if (!isScalar(key)) return true;
        if (!seen.has(key.value)) return seen.add(key.value);
        offsets.push(key.range?.[0] ?? 0);
        return false;
      });
    },
  });
  return offsets.sort((a, b) => a - b);
}
