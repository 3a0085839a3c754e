/**
 * Reads the YAML of front matter in three steps: as YAML; after repairing common mistakes; at last line by line,
 * for name and description only. Knows nothing of the meaning of the keys.
 */

import matter from 'gray-matter';
import { type Document, isCollection, isMap, isPair, isScalar, LineCounter, visit } from 'yaml';
import { errorMessage } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import { countLines, positionAt } from '../base/text.ts';
import { countTokens, parseYaml, removeDuplicateKeys } from '../base/yaml.ts';
import { diagnose } from './diagnostics.ts';
import { eatenProse, quoteValues } from './eaten-prose.ts';
import { salvageLines, YamlRepairer } from './repair.ts';
import type { Diagnostic } from './skill.ts';
import { beyondSubset } from './subset.ts';

export interface YamlReading {
  /** Keys and values as JSON values; null if the text holds no mapping and nothing could be salvaged. */
  readonly keys: Readonly<Record<string, unknown>> | null;
  /** The author's own text for each top-level key with a single plain or quoted value. */
  readonly written: ReadonlyMap<string, string>;
  /** True if the text is YAML, unrepaired, within the subset that the protocol's own reader understands. */
  readonly strict: boolean;
  /** The text that was read: repaired where it was not YAML; null if only some lines of it were read. */
  readonly text: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** In characters, about twice the largest of a public catalog of 24,849. Bounds the parser's time and memory. */
const MAX_YAML = 65_536;
/** In characters. gray-matter's search for comments takes time quadratic in a run of white space. */
const MAX_BLANK_RUN = 2_000;
/** Four times those of all but two of that catalog; `bench attacks` has the time that the worst take. */
const MAX_TOKENS = 4_000;
/** Repairs of one front matter; each costs one more parse. Of long ones fewer: characters, and tokens that are parsed again in all. */
const MAX_REPAIRS = 24;
const MAX_PARSED_AGAIN = 100_000;
const MAX_TOKENS_AGAIN = 6_000;
/** Expansions of aliases, counted as the `yaml` package does: hand-written front matter has few. */
const MAX_ALIASES = 100;

/** Never throws. `firstLine` is the line of the file on which `source` begins. */
export function readYaml(source: string, firstLine: number, path: string): YamlReading {
  // Neither changes a line number, and YAML needs neither.
  const text = source.replaceAll('\r', '').replaceAll('\0', '');
  const reading = readText(text, firstLine, path);
  return /\0|\r(?!\n)/.test(source) ? { ...reading, strict: false } : reading;
}

function readText(text: string, firstLine: number, path: string): YamlReading {
  const excess = findExcess(text);
  if (excess !== null) {
    const found = diagnose('frontmatter-too-large', path, excess.message, {
      fix: excess.fix,
      line: firstLine,
    });
    return salvaged(text.slice(0, MAX_YAML), [found]);
  }
  try {
    return readOrRepair(text, firstLine, path);
  } catch (error) {
    // A parser may fail on anything, such as nesting that exhausts the stack.
    const message = `The front matter cannot be read: ${errorMessage(error)}.`;
    return salvaged(text, [diagnose('yaml-invalid', path, message, { line: firstLine })]);
  }
}

/** What would take the parser too long; null where nothing does. */
function findExcess(text: string): { readonly message: string; readonly fix: string } | null {
  const move = 'Move everything but the keys of the skill to the body.';
  if (text.length > MAX_YAML)
    return {
      message: `The front matter has ${text.length} characters; ${MAX_YAML} are read as YAML.`,
      fix: move,
    };
  if (hasLongBlankRun(text))
    return {
      message: `The front matter has more than ${MAX_BLANK_RUN} blank characters in a row.`,
      fix: 'Remove blank lines and spaces.',
    };
  if (countTokens(text, MAX_TOKENS) > MAX_TOKENS)
    return { message: `The front matter has more than ${MAX_TOKENS} words and signs of YAML.`, fix: move };
  return null;
}

function readOrRepair(text: string, firstLine: number, path: string): YamlReading {
  const notes: Diagnostic[] = [];
  const repairer = new YamlRepairer(text);
  const repairs = Math.min(MAX_REPAIRS, Math.floor(MAX_PARSED_AGAIN / text.length));
  let tokensLeft = MAX_TOKENS_AGAIN;
  // A repair leaves blank lines where it joins lines, and closes a quote that held thousands of tokens.
  const isAffordable = (repaired: string) => {
    tokensLeft -= countTokens(repaired, MAX_TOKENS);
    return tokensLeft >= 0 && findExcess(repaired) === null;
  };
  let current = text;
  for (let done = 0; ; done++) {
    const lines = new LineCounter();
    const document = parse(current, lines);
    const [error] = document.errors;
    if (error === undefined) {
      const eaten = eatenProse(current);
      notes.push(...eaten.map((value) => eatenDiagnostic(value, current, { firstLine, path })));
      if (eaten.length > 0) current = quoteValues(current, eaten);
      return fromDocument(eaten.length > 0 ? parse(current) : document, current, notes, firstLine, path);
    }
    const at = lines.linePos(error.pos[0]);
    const repair = done < repairs ? repairer.repair(at.line) : null;
    if (repair === null || !isAffordable(repair.text)) {
      const message = `The front matter is not YAML: ${headline(error.message)}.`;
      const fix = 'Quote values that contain `: ` or begin with a special character.';
      const where = { fix, line: firstLine + at.line - 1, column: at.col };
      return salvaged(text, [diagnose('yaml-invalid', path, message, where)]);
    }
    current = repair.text;
    const where = { fix: repair.fix, line: firstLine + repair.line - 1, column: repair.column };
    notes.push(diagnose(repair.id, path, repair.message, where));
  }
}

function eatenDiagnostic(
  { id, from, message }: ReturnType<typeof eatenProse>[number],
  text: string,
  { firstLine, path }: { readonly firstLine: number; readonly path: string },
): Diagnostic {
  const { line, column } = positionAt(text, from);
  const where = { fix: 'Put the value in quotes.', line: firstLine + line - 1, column };
  return diagnose(id, path, message, where);
}

function fromDocument(
  document: Document.Parsed,
  text: string,
  notes: readonly Diagnostic[],
  firstLine: number,
  path: string,
): YamlReading {
  const { contents } = document;
  if (contents === null)
    return { keys: {}, written: new Map(), strict: notes.length === 0, text, diagnostics: notes };
  if (!isMap(contents)) {
    const message = 'The front matter is YAML, but not keys and values.';
    const fix = 'Write one `key: value` per line, beginning with `name:` and `description:`.';
    const found = diagnose('yaml-not-a-mapping', path, message, { fix, line: firstLine });
    return { keys: null, written: new Map(), strict: false, text: null, diagnostics: [...notes, found] };
  }
  const diagnostics = [...notes, ...duplicates(document, text, firstLine, path)];
  const keys = toKeys(document);
  if (keys === null) {
    const message = 'Aliases in the front matter are circular or expand to too much.';
    const fix = 'Write the values out, without `&` and `*`.';
    return salvaged(text, [
      ...diagnostics,
      diagnose('yaml-aliases', path, message, { fix, line: firstLine }),
    ]);
  }
  const written = new Map<string, string>();
  for (const { key, value } of contents.items) {
    if (isScalar(key) && isScalar(value) && value.value !== null)
      written.set(String(key.value), value.source ?? '');
    if (!isScalar(key) || key.value !== 'metadata' || !isMap(value)) continue;
    const version = value.get('version', true);
    if (isScalar(version) && version.value !== null) written.set('metadata.version', version.source ?? '');
  }
  const beyond = diagnostics.length > 0 ? null : beyondSubset(document, text);
  if (beyond !== null) {
    const where = { fix: beyond.fix, line: firstLine + beyond.line - 1, column: beyond.column };
    diagnostics.push(diagnose('yaml-subset', path, beyond.message, where));
  }
  return { keys, written, strict: diagnostics.length === 0, text, diagnostics };
}

/** Removes repeated keys from the document, except the first, and reports them. */
function duplicates(document: Document.Parsed, text: string, firstLine: number, path: string): Diagnostic[] {
  let line = firstLine;
  let from = 0;
  return removeDuplicateKeys(document).map((offset) => {
    line += countLines(text.slice(from, offset));
    from = offset;
    const where = {
      fix: 'Keep one of the two.',
      line,
      column: offset - text.lastIndexOf('\n', offset - 1),
    };
    return diagnose('yaml-duplicate-key', path, 'This key is repeated; the first one counts.', where);
  });
}

/** Null if aliases make the value circular or huge. */
function toKeys(document: Document.Parsed): Record<string, unknown> | null {
  let aliases = false;
  visit(document, {
    Alias() {
      aliases = true;
    },
    Pair(_, { key }, path) {
      // As text, each level of such keys is written again for every level above: a few hundred take minutes.
      if (isCollection(key) && path.some((parent, at) => isPair(parent) && parent.key === path[at + 1]))
        throw new Error('a key is a list or mapping with such keys in it');
    },
  });
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (aliases && JSON.stringify(value).length > MAX_YAML) return null;
    return isRecord(value) ? value : null;
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof TypeError) return null;
    throw error;
  }
}

/**
 * gray-matter with a single engine. Its own engines evaluate code (`javascript`) or read YAML 1.1 or JSON; here
 * they throw. With options, it neither reads nor fills its cache.
 */
function parse(text: string, lineCounter?: LineCounter): Document.Parsed {
  const parsed: Document.Parsed[] = [];
  const refuse = () => {
    throw new TypeError('front matter is read as YAML only');
  };
  const yaml = (matterText: string) => {
    const options = {
      version: '1.2',
      schema: 'core',
      merge: false,
      logLevel: 'silent',
      // `beyondSubset` looks at how keys were written.
      keepSourceTokens: true,
      ...(lineCounter !== undefined && { lineCounter }),
    } as const;
    parsed.push(parseYaml(matterText.slice(1), options));
    return {};
  };
  matter(`---\n${text}\n---\n`, {
    language: 'yaml',
    engines: { yaml, json: refuse, javascript: refuse, coffee: refuse, toml: refuse },
  });
  // gray-matter does not call the engine for a block of comments only.
  return parsed[0] ?? parseYaml('');
}

function salvaged(text: string, diagnostics: readonly Diagnostic[]): YamlReading {
  const written = salvageLines(text);
  return { keys: written.size === 0 ? null : {}, written, strict: false, text: null, diagnostics };
}

function hasLongBlankRun(text: string): boolean {
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    run = code === 0x20 || (code >= 0x09 && code <= 0x0d) || code >= 0x2000 || code === 0xa0 ? run + 1 : 0;
    if (run > MAX_BLANK_RUN) return /\s{2000}/.test(text);
  }
  return false;
}

function headline(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '').replace(/\.$/, '');
}
