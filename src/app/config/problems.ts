/** Turns schema issues into sentences: what was found, what is allowed, and a suggestion for a misspelt name. */

import { closest, distance } from 'fastest-levenshtein';
import type * as z from 'zod';
import { type JsonSchema, schemaAt } from './json-schema.ts';
import type { ConfigPath } from './text.ts';

export interface Refusal {
  readonly path: ConfigPath;
  /** True where the key is refused, not its value. */
  readonly isKey: boolean;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/** The most names listed for an unknown setting; the documentation has all. */
const LISTED = 24;
/** Characters quoted of a refused value. */
const SHOWN = 60;

/** `value` failed to parse against `schema`. */
export function refusalsOf(issues: readonly Issue[], value: unknown, schema: JsonSchema): Refusal[] {
  return issues.flatMap(innermost).flatMap((issue): Refusal | Refusal[] => {
    if (issue.code !== 'unrecognized_keys')
      return { path: issue.path, isKey: false, message: sentenceOf(issue, value, schema) };
    const known = Object.keys(schemaAt(schema, issue.path, value)?.properties ?? {});
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      isKey: true,
      message: unknownKey(key, issue.path, known),
    }));
  });
}

/** Of a setting that takes several kinds of values, what is wrong inside of the kind that was given. */
function innermost(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const inside = issue.errors.find((errors) =>
    errors.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  if (inside === undefined || inside.length === 0) return [issue];
  return inside.map((each) => ({ ...each, path: [...issue.path, ...each.path] })).flatMap(innermost);
}

/** `sources[0].refresh`. */
function pathText(path: ConfigPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/** ` Did you mean "x"?`, or an empty text where no name is close. */
export function suggestion(name: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  // A text longer than every name is close to none, and the comparison takes time that grows with its length.
  const start = name.slice(0, SHOWN);
  const near = closest(start, known);
  const far = Math.max(Math.min(2, start.length - 1), start.length / 3);
  return distance(start, near) <= far ? ` Did you mean "${near}"?` : '';
}

function unknownKey(key: string, path: ConfigPath, known: readonly string[]): string {
  const parent = path.length === 0 ? 'the configuration' : pathText(path);
  const allowed = known.length === 0 ? '' : ` Allowed: ${known.slice(0, LISTED).join(', ')}.`;
  return `There is no setting ${quoted(key)} in ${parent}.${suggestion(key, known)}${allowed}`;
}

function sentenceOf(issue: Issue, value: unknown, schema: JsonSchema): string {
  const { path } = issue;
  const subject = path.length === 0 ? 'The configuration' : pathText(path);
  const found = path.reduce<unknown>(
    (part, step) => (typeof part === 'object' && part !== null ? Reflect.get(part, step) : undefined),
    value,
  );
  const takes = wanted(issue, schemaAt(schema, path, value));
  if (found === undefined && !isCustom(issue)) return `${subject} is missing: it ${takes}.`;
  return `${subject} ${takes}${isCustom(issue) ? '' : `, not ${shown(found, path)}`}.${guess(issue, found)}`;
}

const isCustom = ({ code }: Issue) => code === 'custom';

/** What the setting takes, to follow its name. */
function wanted(issue: Issue, schema: JsonSchema | null): string {
  switch (issue.code) {
    case 'invalid_type':
      return `takes ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `takes ${listed(issue.values.map(String))}`;
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? `takes ${listed(issue.options.map(String))}`
        : (kindsOf(issue.errors) ??
            `takes another value${schema?.description === undefined ? '' : `: ${schema.description}`}`);
    case 'too_small':
      if (issue.origin === 'string') return 'takes a text that is not empty';
      return issue.origin === 'array'
        ? `takes at least ${issue.minimum} entry`
        : `takes a number of at least ${issue.minimum}`;
    case 'too_big':
      return `takes at most ${issue.maximum}`;
    case 'invalid_format':
      if (issue.format === 'url') return 'takes a URL such as https://example.com';
      return issue.message.startsWith('Invalid') ? 'takes a text of another form' : issue.message;
    default:
      return issue.message;
  }
}

/** `takes true or false or a mapping of settings`; null where the kinds are more than types. */
function kindsOf(options: readonly (readonly Issue[])[]): string | null {
  const kinds = options.map(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0
      ? (TYPES[first.expected] ?? first.expected)
      : null,
  );
  return kinds.length > 0 && !kinds.includes(null) ? `takes ${kinds.join(', or ')}` : null;
}

function guess(issue: Issue, found: unknown): string {
  if (typeof found !== 'string') return '';
  if (issue.code === 'invalid_value') return suggestion(found, issue.values.map(String));
  return issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)
    ? suggestion(found, issue.options.map(String))
    : '';
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of settings',
  record: 'a mapping of names to texts',
};

const listed = (values: readonly string[]) =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

/** Settings that may hold secrets: messages name only the type of their value. */
const SECRET = new Set<PropertyKey>([
  'headers',
  'env',
  'args',
  'url',
  'tokenEnv',
  'command',
  'otlp',
  'publicUrl',
]);

function shown(value: unknown, path: ConfigPath): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (path.some((part) => SECRET.has(part)))
    return `this ${typeof value === 'string' ? 'text' : typeof value}`;
  return typeof value === 'string' ? quoted(value) : String(value);
}

const quoted = (text: string) => JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text);
