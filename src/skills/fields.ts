/** The meaning of front matter keys: name, description, tags and others, in whatever form they were written. */

import { isRecord } from '../base/json.ts';
import { diagnose } from './diagnostics.ts';
import type { Audience, Diagnostic, Skill } from './skill.ts';
import { isShortText, isStringMap, NAME_PATTERN } from './strict.ts';
import type { YamlReading } from './yaml.ts';

type Fields = Pick<
  Skill,
  | 'name'
  | 'title'
  | 'version'
  | 'tags'
  | 'license'
  | 'compatibility'
  | 'allowedTools'
  | 'mcpTools'
  | 'enabled'
  | 'audience'
> & { readonly description: string | null };

/** Keys of the specification (agentskills.io). */
/** Characters of a name. */
const MAX_NAME = 64;
const SPECIFIED = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];
/** Keys that hosts read at the top level, and only there: https://code.claude.com/docs/en/skills, and those of other hosts. */
const OF_HOSTS = [
  'agent',
  'argument-hint',
  'arguments',
  'context',
  'disable-model-invocation',
  'disabled',
  'effort',
  'enabled',
  'hooks',
  'model',
  'paths',
  'shell',
  'user-invocable',
  'when_to_use',
];
/** Keys for search words, at the top level and in `metadata`. */
const TAG_KEYS = ['tags', 'tag', 'keywords', 'labels', 'category', 'categories'];
const TITLE_KEYS = ['title', 'displayName', 'display-name', 'display_name'];
/** A name in `dependencies.tools` that is a program's: all that real skills have there are `git`, `docker` and the like. */
const PROGRAM = /^[a-z0-9]+$/;
/** Keys of `metadata` for tools of MCP servers: ours, and one in use whose prefix the protocol keeps for itself. */
export const MCP_TOOLS_KEY = 'skillgate.tools';
const RESERVED_TOOLS_KEY = 'io.modelcontextprotocol/tools';

/** Names that the protocol allows (MCP 2025-11-25, "Tool Names"; `/` since 2026-07-28). */
const MCP_TOOL = /^[A-Za-z0-9_./-]{1,128}$/;
/** Tool names in the syntax of hosts: `Read`, `Bash(git add:*)`, `mcp__server__tool`, `mcp__server__*`, `*`. */
const HOST_TOOL = /^(?:[\w./:@*-]+)(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?$/;

/** Values that disable a skill under `enabled`, and under `disabled`. */
const OFF = new Set(['false', 'no', 'off', '0']);
const ON = new Set(['true', 'yes', 'on', '1']);

export function readFields(reading: YamlReading, folder: string): Fields {
  const keys = reading.keys ?? {};
  const metadata = isRecord(keys.metadata) ? keys.metadata : {};
  const text = (key: string) => reading.written.get(key) ?? textOf(keys[key]);
  const title = first(TITLE_KEYS.flatMap((key) => [textOf(keys[key]), textOf(metadata[key])]));
  const version = first([text('metadata.version') || textOf(metadata.version), text('version')]);
  const license = text('license').trim();
  const compatibility = text('compatibility').trim();
  return {
    name: text('name').trim() || folder,
    title,
    ...(version === undefined ? {} : { version }),
    description: text('description').trim() || null,
    tags: unique([keys, metadata].flatMap((from) => TAG_KEYS.flatMap((key) => listOf(from[key])))),
    ...(license === '' ? {} : { license }),
    ...(compatibility === '' ? {} : { compatibility }),
    allowedTools: unique(toolNames(keys['allowed-tools'] ?? keys.allowed_tools)),
    mcpTools: unique([
      ...[MCP_TOOLS_KEY, RESERVED_TOOLS_KEY].flatMap((key) => toolNames(metadata[key])),
      ...dependenciesIn(keys, metadata),
    ]),
    audience: audienceOf(keys),
    enabled: ![keys, metadata].some((from) => isOneOf(from.enabled, OFF) || isOneOf(from.disabled, ON)),
  };
}

/** Both keys are those of hosts that offer skills as commands. */
function audienceOf(keys: Readonly<Record<string, unknown>>): Audience {
  const models = !isOneOf(keys['disable-model-invocation'], ON);
  const people = !isOneOf(keys['user-invocable'], OFF);
  if (models) return people ? 'all' : 'models';
  return people ? 'people' : 'none';
}

/** Advice on the fields. `lineOf` gives the line of a key in the file. */
export function judgeFields(
  reading: YamlReading,
  fields: Fields,
  where: { readonly path: string; readonly folder: string; readonly lineOf: (key: string) => number },
): Diagnostic[] {
  const { path, folder, lineOf } = where;
  const keys = reading.keys ?? {};
  const found: Diagnostic[] = [];
  const add = (id: Parameters<typeof diagnose>[0], key: string, message: string, fix: string) => {
    found.push(diagnose(id, path, message, { fix, line: lineOf(key) }));
  };
  const raw = keys.name ?? reading.written.get('name') ?? null;
  if (raw === null || (typeof raw === 'string' && raw.trim() === '')) {
    add(
      'name-missing',
      'name',
      `There is no name; the folder’s name, ${folder}, is used.`,
      `Add \`name: ${folder}\`.`,
    );
  } else {
    const { name } = fields;
    if (typeof raw !== 'string')
      add('name-type', 'name', 'The name is not a string.', 'Put the name in quotes.');
    if (!NAME_PATTERN.test(name)) {
      const message = 'The name is not made of lower-case letters, digits and single hyphens.';
      add('name-format', 'name', message, `Write it like \`${kebab(name) || 'my-skill'}\`.`);
    }
    if (name.length > MAX_NAME) {
      const message = `The name has ${name.length} characters; ${MAX_NAME} are allowed.`;
      add('name-too-long', 'name', message, 'Shorten the name and move the rest to the description.');
    }
    if (name !== folder) {
      const message = `The name is ${name}, but the folder’s name is ${folder}.`;
      add('name-folder', 'name', message, 'Give both the same name.');
    }
  }
  const description = keys.description ?? reading.written.get('description') ?? null;
  if (fields.description === null) {
    const fix = 'Add a description: what the skill does and when to use it.';
    add('description-missing', 'description', 'There is no description.', fix);
  } else {
    if (typeof description !== 'string') {
      add('description-type', 'description', 'The description is not a string.', 'Put it in quotes.');
    }
    const length = [...fields.description].length;
    if (length > 1_024) {
      const message = `The description has ${length} characters; 1,024 are allowed.`;
      add('description-too-long', 'description', message, 'Move details to the body.');
    }
  }
  const compatibility = keys.compatibility;
  if (compatibility !== undefined && !isShortText(compatibility, 500)) {
    const message = 'Compatibility is not a string of 1 to 500 characters.';
    add('compatibility-invalid', 'compatibility', message, 'Write one sentence.');
  }
  const { metadata } = keys;
  if (metadata !== undefined && !isStringMap(metadata)) {
    const message = 'Metadata does not map strings to strings.';
    add('metadata-type', 'metadata', message, 'Put numbers and lists in quotes, and nest nothing.');
  }
  const allowed = keys['allowed-tools'];
  if (allowed !== undefined && (typeof allowed !== 'string' || allowed.includes(','))) {
    const message = '`allowed-tools` is not a space-separated string.';
    add(
      'allowed-tools-type',
      'allowed-tools',
      message,
      `Write \`${fields.allowedTools.slice(0, 3).join(' ')} …\`.`,
    );
  }
  for (const [key, names, pattern, form] of [
    ['metadata', fields.mcpTools, MCP_TOOL, 'up to 128 letters, digits, `_`, `-`, `.` and `/`'],
    [
      'allowed-tools',
      fields.allowedTools,
      HOST_TOOL,
      'a name, with a pattern in parentheses where it needs one',
    ],
  ] as const) {
    const odd = names.filter((name) => !pattern.test(name));
    if (odd.length === 0) continue;
    const message = `Invalid tool names: ${odd.map((name) => JSON.stringify(name)).join(', ')}.`;
    add('tool-unknown', key, message, `Separate names by spaces; each is ${form}.`);
  }
  if (isRecord(keys.metadata) && keys.metadata[RESERVED_TOOLS_KEY] !== undefined) {
    const message = `${RESERVED_TOOLS_KEY} is no key of the protocol, and its prefix is reserved for that.`;
    add('key-reserved', 'metadata', message, `Call it ${MCP_TOOLS_KEY}.`);
  }
  const [unknown, ...more] = Object.keys(keys).filter(
    (key) => !SPECIFIED.includes(key) && !OF_HOSTS.includes(key),
  );
  if (unknown !== undefined) {
    const message = `Not part of the specification: ${[unknown, ...more].join(', ')}.`;
    add('key-unknown', unknown, message, 'Move such keys below `metadata:` if no host reads them.');
  }
  if (!fields.enabled) {
    add('skill-disabled', 'enabled', 'The skill is disabled.', 'Remove `enabled: false` to index it.');
  }
  return found;
}

/**
 * Tools in `dependencies: {tools: […]}`, the form of SEP-2076, by name or as `{type: ref/tool, name}`, which may also stand in
 * one list. In real skills plain names of such a list are packages of a language, and other keys versions of it.
 */
function dependenciesIn(...from: readonly Readonly<Record<string, unknown>>[]): string[] {
  return from.flatMap(({ dependencies }) => {
    const listed = isRecord(dependencies) ? dependencies.tools : undefined;
    const references = [dependencies, listed].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
    const names = references.flatMap((item) =>
      isRecord(item) && (item.type ?? 'ref/tool') === 'ref/tool' && typeof item.name === 'string'
        ? item.name
        : [],
    );
    return [...plainNames(listed).filter((name) => !PROGRAM.test(name)), ...names];
  });
}

const plainNames = (listed: unknown) =>
  toolNames(Array.isArray(listed) ? listed.filter((item) => !isRecord(item)) : listed);

/** Programs that `dependencies: {tools: […]}` names. */
export const programsIn = ({ dependencies }: Readonly<Record<string, unknown>>): string[] =>
  isRecord(dependencies) ? plainNames(dependencies.tools).filter((name) => PROGRAM.test(name)) : [];

/** Any value as text: list items joined by commas, mapping values by line ends. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ');
  if (isRecord(value)) return Object.values(value).map(textOf).filter(Boolean).join('\n');
  return String(value);
}

function listOf(value: unknown): string[] {
  const items = Array.isArray(value) ? value.map(textOf) : textOf(value).split(/[,;\n]/);
  return items.map((item) => item.trim()).filter(Boolean);
}

/** `Read, Bash(git add:*) Write` has three names: a space or comma in parentheses belongs to the name. */
function toolNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.map((item) => textOf(item).trim()).filter(Boolean);
  return textOf(value).match(/(?:\([^)]*\)?|[^\s,(])+/g) ?? [];
}

function isOneOf(value: unknown, words: ReadonlySet<string>): boolean {
  const scalar = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number';
  return scalar && words.has(String(value).trim().toLowerCase());
}

/** The name as the specification writes names: `Über Café` → `uber-cafe`. '' if no letter or digit is left. */
export function kebab(name: string): string {
  const whole = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  if (whole.length <= MAX_NAME) return whole;
  // Cut between two words, where there are two.
  return whole.slice(0, whole.lastIndexOf('-', MAX_NAME)).slice(0, MAX_NAME);
}

function first(values: readonly string[]): string | undefined {
  return values.map((value) => value.trim()).find((value) => value !== '');
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
