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
  type Pair,
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

/** What a node has that the reader does not understand; `offset` in the text. */
interface Oddity {
  readonly offset: number;
  readonly message: string;
  readonly fix: string;
}

/** The first construct beyond the subset in a document without errors, or null. In doubt, it reports one. */
export function beyondSubset(document: Document.Parsed, text: string): Beyond | null {
  const oddity = oddCharacter(text) ?? oddTag(document) ?? oddNode(document, text);
  if (oddity === null) return null;
  const { offset, message, fix } = oddity;
  const before = text.slice(0, offset);
  return { message, fix, line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

function oddCharacter(text: string): Oddity | null {
  const odd = /[\u2028\u2029\uFEFF]/.exec(text);
  if (odd === null) return null;
  const message = 'The front matter contains an unusual line end or mark.';
  return { offset: odd.index, message, fix: 'Remove the character.' };
}

const oddTag = ({ warnings }: Document.Parsed): Oddity | null =>
  warnings.length === 0
    ? null
    : { offset: 0, message: 'The front matter uses YAML tags.', fix: 'Remove the tags.' };

function oddNode(document: Document.Parsed, text: string): Oddity | null {
  let first: Oddity | null = null;
  visit(document, (_, node, path) => {
    if (isPair(node)) first = judgePair(node);
    else if (isNode(node)) first = judgeNode(node, path, text);
    return first === null ? undefined : visit.BREAK;
  });
  return first;
}

function judgePair({ key, value, srcToken }: Pair): Oddity | null {
  const offset = isNode(key) ? start(key) : 0;
  const name = isScalar(key) ? key.value : null;
  if (typeof name !== 'string' || name === '__proto__')
    return { offset, message: 'A key is not text.', fix: QUOTE };
  if (srcToken?.start.some(({ type }) => type === 'explicit-key-ind'))
    return { offset, message: 'A key is written with `?`.', fix: PAIR };
  return value === null ? { offset, message: 'A key has no value.', fix: PAIR } : null;
}

function judgeNode(node: Node, path: readonly unknown[], text: string): Oddity | null {
  const offset = start(node);
  const odd = (message: string, fix: string): Oddity => ({ offset, message, fix });
  if (path.length > MAX_DEPTH) return odd('Values are nested too deeply.', 'Use fewer levels.');
  if (isAlias(node) || node.tag !== undefined)
    return odd('Aliases and tags are not supported.', 'Write the value out.');
  if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined)
    return odd('Anchors are not supported.', 'Write the value out.');
  const source = node.range ? text.slice(node.range[0], node.range[1]) : '';
  if (isCollection(node) && node.flow === true) {
    const oneLine = 'Keep it on one line, or write one item per line.';
    if (source.includes('\n')) return odd('A list in brackets spans several lines.', oneLine);
    // `[a: b]` is a list with a mapping without braces.
    const inList = node.items.some((item) => isMap(item) && text[start(item)] !== '{');
    return inList ? odd('A list in brackets contains keys.', QUOTE) : null;
  }
  if (!isScalar(node)) return null;
  if (typeof node.value === 'number' && !Number.isFinite(node.value))
    return odd('A number is not finite.', QUOTE);
  const quoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE';
  if (quoted && source.includes('\n'))
    return odd('A quoted value spans several lines.', 'Keep it on one line, or write it below `>`.');
  const inFlow = path.some((parent) => isCollection(parent) && parent.flow === true);
  if (source === '' && inFlow) return odd('A value is missing.', QUOTE);
  if (/^[-?:](?:\s|$)/.test(source)) return odd('A value begins with a special character.', QUOTE);
  if (/^[|>][+-]?\d/.test(source))
    return odd('Text below `|` or `>` specifies its indentation.', 'Remove the digit.');
  return null;
}

const QUOTE = 'Put it in quotes.';
const PAIR = 'Write `key: value`.';

function start(node: Node): number {
  return node.range?.[0] ?? 0;
}
