/**
 * The subset of YAML that the protocol's own front matter reader understands (`parseFrontmatterYaml` in the Skills
 * extension of the TypeScript SDK): block collections, scalars that close on their line, one-line flow collections
 * without mappings in lists. Judges the text only; `strict.ts` has the rules for keys.
 */

import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  type Node,
  visit,
} from 'yaml';

interface Beyond {
  readonly message: string;
  readonly fix: string;
  /** 1-based, within the text. */
  readonly line: number;
  readonly column: number;
}

/** The reader's own limit of nesting is 32. */
const MAX_DEPTH = 30;

/** The first construct beyond the subset in a document without errors, or null. In doubt, it reports one. */
export function beyondSubset(document: Document.Parsed, text: string): Beyond | null {
  let found: Beyond | null = null;
  const at = (offset: number, what: string, fix: string) => {
    const before = text.slice(0, offset);
    const line = before.split('\n').length;
    found = { message: what, fix, line, column: offset - before.lastIndexOf('\n') };
    return visit.BREAK;
  };
  const odd = /[\u2028\u2029\uFEFF]/.exec(text);
  if (odd !== null) {
    at(odd.index, 'The front matter contains an unusual line end or mark.', 'Remove the character.');
    return found;
  }
  if (document.warnings.length > 0) {
    at(0, 'The front matter uses YAML tags.', 'Remove the tags.');
    return found;
  }
  visit(document, (_, node, path) => {
    if (isPair(node)) {
      const name = isScalar(node.key) ? node.key.value : null;
      const offset = isNode(node.key) ? start(node.key) : 0;
      if (typeof name !== 'string' || name === '__proto__') return at(offset, 'A key is not text.', QUOTE);
      if (node.srcToken?.start.some(({ type }) => type === 'explicit-key-ind'))
        return at(offset, 'A key is written with `?`.', PAIR);
      return node.value === null ? at(offset, 'A key has no value.', PAIR) : undefined;
    }
    if (!isNode(node)) return undefined;
    if (path.length > MAX_DEPTH) return at(start(node), 'Values are nested too deeply.', 'Nest them less.');
    const offset = start(node);
    if (isAlias(node) || node.tag !== undefined) {
      return at(offset, 'Aliases and tags are not supported.', 'Write the value out.');
    }
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) {
      return at(offset, 'Anchors are not supported.', 'Write the value out.');
    }
    const source = node.range ? text.slice(node.range[0], node.range[1]) : '';
    if (isCollection(node) && node.flow === true) {
      if (source.includes('\n'))
        return at(
          offset,
          'A list in brackets spans several lines.',
          'Keep it on one line, or write one item per line.',
        );
      // `[a: b]` is a list with a mapping without braces.
      const inList = node.items.some((item) => isMap(item) && text[start(item)] !== '{');
      if (inList) return at(offset, 'A list in brackets contains keys.', QUOTE);
      return undefined;
    }
    if (!isScalar(node)) return undefined;
    if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
      return at(offset, 'A number is not finite.', QUOTE);
    }
    const quoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE';
    if (quoted && source.includes('\n')) {
      return at(offset, 'A quoted value spans several lines.', 'Keep it on one line, or write it below `>`.');
    }
    if (source === '' && path.some((parent) => isCollection(parent) && parent.flow === true)) {
      return at(offset, 'A value is missing.', QUOTE);
    }
    if (/^[-?:](?:\s|$)/.test(source)) {
      return at(offset, 'A value begins with a special character.', QUOTE);
    }
    if (/^[|>][+-]?\d/.test(source)) {
      return at(offset, 'Text below `|` or `>` specifies its indentation.', 'Remove the digit.');
    }
    return undefined;
  });
  return found;
}

const QUOTE = 'Put it in quotes.';
const PAIR = 'Write `key: value`.';

function start(node: Node): number {
  return node.range?.[0] ?? 0;
}
