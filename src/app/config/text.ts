/**
 * Parses the text of a configuration file into a value and the positions of its settings. The YAML parser also reads
 * JSON, for the positions; `JSON.parse` then rejects what is not JSON. Does not check the value against the schema.
 */

import { type Document, isMap, isNode, isPair, isScalar, isSeq, LineCounter } from 'yaml';
import { errorMessage } from '../../base/errors.ts';
import { countTokens, parseYaml, removeDuplicateKeys } from '../../base/yaml.ts';
import { ConfigError, type Place } from '../app-error.ts';

export type ConfigPath = readonly PropertyKey[];

export interface ConfigText {
  readonly value: unknown;
  /** The position of a value, or of its nearest ancestor in the text. */
  readonly valueAt: (path: ConfigPath) => Place;
  /** The position of a key. */
  readonly keyAt: (path: ConfigPath) => Place;
}

/** Characters. A file with hundreds of sources and rules has a tenth of it. */
const MAX_TEXT = 1_048_576;
/** Words and signs: 1,500 sources and rules. They take the parser a third of a second. */
const MAX_TOKENS = 50_000;
/** Expansions of aliases, as the `yaml` package counts them. */
const MAX_ALIASES = 100;

/** Throws `ConfigError` for invalid text. `file` names the file in messages. */
export function readConfigText(text: string, file: string): ConfigText {
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { where: `${file}:${line}:${col}`, line, column: col };
  };
  if (text.length > MAX_TEXT)
    throw new ConfigError([
      { ...at(0), message: `The file has ${text.length} characters; at most ${MAX_TEXT} are read.` },
    ]);
  if (countTokens(text, MAX_TOKENS) > MAX_TOKENS)
    throw new ConfigError([{ ...at(0), message: `The file has more than ${MAX_TOKENS} words and signs.` }]);
  const isJson = /\.json$/i.test(file);
  try {
    const document = parseYaml(text.replace(/^\ufeff/, ' '), { lineCounter: lines });
    const [fault] = document.errors;
    // YAML limits keys to 1,024 characters; everything else that it refuses is not JSON either.
    if (fault !== undefined)
      throw new ConfigError([{ ...at(fault.pos[0]), message: sentence(fault.message, isJson) }]);
    const [repeated] = removeDuplicateKeys(document);
    if (repeated !== undefined)
      throw new ConfigError([{ ...at(repeated), message: sentence('a key is given twice', isJson) }]);
    const value: unknown = isJson ? parseJson(text, at) : document.toJS({ maxAliasCount: MAX_ALIASES });
    const odd = pathOfOdd(value);
    if (odd !== null)
      throw new ConfigError([{ ...at(findOffset(document, odd, false)), message: sentence(ODD, isJson) }]);
    return {
      value,
      valueAt: (path) => at(findOffset(document, path, false)),
      keyAt: (path) => at(findOffset(document, path, true)),
    };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    // Nesting that exhausts the stack, or too many aliases.
    throw new ConfigError(
      [{ ...at(0), message: `The file cannot be read: ${withoutQuotes(errorMessage(error))}.` }],
      error,
    );
  }
}

const ODD = 'a value has a type that JSON lacks, such as a date or an ordered mapping';

/** The path of a value that JSON cannot hold: a reader would take a date or `!!omap` for an empty mapping. */
function pathOfOdd(value: unknown): ConfigPath | null {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? [] : null;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return [];
  for (const [key, inner] of Object.entries(value)) {
    const path = pathOfOdd(inner);
    if (path !== null) return [Array.isArray(value) ? Number(key) : key, ...path];
  }
  return null;
}

function parseJson(text: string, at: (offset: number) => Place): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    const offset = Number(/at position (\d+)/.exec(String(cause))?.[1] ?? 0);
    const message =
      'The file cannot be read as JSON: JSON has no comments, no comma after the last entry, and only double quotes. A .yaml file may have them.';
    throw new ConfigError([{ ...at(offset), message }], cause);
  }
}

/** What the parser quotes can be a secret: the file need not be one of settings. */
const withoutQuotes = (message: string) =>
  message.replace(/: .*$/s, '').replace(/^(Invalid escape sequence) .*$/s, '$1');

/** The first line of the parser's message, without its position. */
function sentence(message: string, isJson: boolean): string {
  const reason = withoutQuotes(message.split('\n')[0] ?? '')
    .replace(/ at line \d+, column \d+:?$/, '')
    // The parser explains it by indentation, which JSON does not know.
    .replace(
      /^Flow (?:map|sequence) in block collection must be .* end with an? (\S).*$/,
      'a closing $1 is missing',
    )
    .replace(/[.:]$/, '');
  return `The file cannot be read as ${isJson ? 'JSON' : 'YAML'}: ${reason}.`;
}

function findOffset(document: Document.Parsed, path: ConfigPath, ofKey: boolean): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const [depth, part] of path.entries()) {
    let next: unknown;
    if (isSeq(node) && typeof part === 'number') next = node.items[part];
    else if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      const isLast = depth === path.length - 1;
      next = isPair(pair) && ofKey && isLast ? pair.key : (pair?.value ?? pair?.key);
    }
    if (!isNode(next)) break;
    node = next;
    offset = next.range?.[0] ?? offset;
  }
  return offset;
}
