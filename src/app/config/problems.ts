/** Turns schema issues into sentences: what was found, what is allowed, and a suggestion for a misspelt name. */

import type * as z from 'zod';
import { cut, suggestion } from '../../base/text.ts';
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
export function toRefusals(issues: readonly Issue[], value: unknown, schema: JsonSchema): Refusal[] {
  return issues.flatMap(innermost).flatMap((issue): Refusal | Refusal[] => {
    if (issue.code !== 'unrecognized_keys')
      return { path: issue.path, isKey: false, message: formatIssue(issue, value) };
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

function unknownKey(key: string, path: ConfigPath, known: readonly string[]): string {
  const parent = path.length === 0 ? 'the configuration' : pathText(path);
  const allowed = known.length === 0 ? '' : ` Allowed: ${known.slice(0, LISTED).join(', ')}.`;
  return `There is no setting ${quoted(key)} in ${parent}.${suggestion(key, known)}${allowed}`;
}

/** zod's own message, which quotes no value: a setting may hold a secret. */
function formatIssue(issue: Issue, value: unknown): string {
  const subject = issue.path.length === 0 ? 'The configuration' : pathText(issue.path);
  const options = optionsIn(issue);
  const message =
    issue.code === 'invalid_union'
      ? options.length > 0
        ? `expected one of ${options.join(', ')}`
        : [...new Set(issue.errors.flat().map(({ message }) => message))].join(', or ')
      : issue.message;
  const found = issue.path.reduce<unknown>(
    (part, step) => (typeof part === 'object' && part !== null ? Reflect.get(part, step) : undefined),
    value,
  );
  return `${subject}: ${message}.${typeof found === 'string' ? suggestion(found, options) : ''}`;
}

/** The values that a choice, or the `kind` of a source, may have. */
function optionsIn(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  return issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)
    ? issue.options.map(String)
    : [];
}

const quoted = (text: string) => JSON.stringify(cut(text, SHOWN));
