/** The meaning of front matter keys: name, description, tags and others, in whatever form they were written. */

import { isRecord } from '../base/json.ts';
import { type DiagnosticId, diagnose } from './diagnostics.ts';
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

/** Characters of a name, and of a description. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
/** Keys of the specification (agentskills.io). */
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
  const text = (key: string) => reading.written.get(key) ?? toText(keys[key]);
  const title = first(TITLE_KEYS.flatMap((key) => [toText(keys[key]), toText(metadata[key])]));
  const version = first([text('metadata.version') || toText(metadata.version), text('version')]);
  const license = text('license').trim();
  const compatibility = text('compatibility').trim();
  return {
    name: text('name').trim() || folder,
    title,
    ...(version === undefined ? {} : { version }),
    description: text('description').trim() || null,
    tags: unique([keys, metadata].flatMap((from) => TAG_KEYS.flatMap((key) => toTextList(from[key])))),
    ...(license === '' ? {} : { license }),
    ...(compatibility === '' ? {} : { compatibility }),
    allowedTools: unique(toolNames(keys['allowed-tools'] ?? keys.allowed_tools)),
    mcpTools: unique([
      ...[MCP_TOOLS_KEY, RESERVED_TOOLS_KEY].flatMap((key) => toolNames(metadata[key])),
      ...dependenciesIn(keys, metadata),
    ]),
    audience: readAudience(keys),
    enabled: ![keys, metadata].some(
      (from) => includesWord(from.enabled, OFF) || includesWord(from.disabled, ON),
    ),
  };
}

/** Both keys are those of hosts that offer skills as commands. */
function readAudience(keys: Readonly<Record<string, unknown>>): Audience {
  const models = !includesWord(keys['disable-model-invocation'], ON);
  const people = !includesWord(keys['user-invocable'], OFF);
  if (models) return people ? 'all' : 'models';
  return people ? 'people' : 'none';
}

/** A remark on one key of the front matter. */
interface Remark {
  readonly id: DiagnosticId;
  readonly key: string;
  readonly message: string;
  readonly fix: string;
}

interface Judged {
  readonly reading: YamlReading;
  readonly keys: Readonly<Record<string, unknown>>;
  readonly fields: Fields;
  readonly folder: string;
}

/** Advice on the fields. `lineOf` gives the line of a key in the file. */
export function judgeFields(
  reading: YamlReading,
  fields: Fields,
  where: { readonly path: string; readonly folder: string; readonly lineOf: (key: string) => number },
): Diagnostic[] {
  const { path, folder, lineOf } = where;
  const judged = { reading, keys: reading.keys ?? {}, fields, folder };
  return RULES.flatMap((rule) => rule(judged)).map(({ id, key, message, fix }) =>
    diagnose(id, path, message, { fix, line: lineOf(key) }),
  );
}

/** In the order of the report. */
const RULES: readonly ((judged: Judged) => Remark | readonly Remark[])[] = [
  judgeName,
  judgeDescription,
  ({ keys: { compatibility } }) =>
    compatibility === undefined || isShortText(compatibility, 500)
      ? []
      : {
          id: 'compatibility-invalid',
          key: 'compatibility',
          message: 'Compatibility is not a string of 1 to 500 characters.',
          fix: 'Write one sentence.',
        },
  ({ keys: { metadata } }) =>
    metadata === undefined || isStringMap(metadata)
      ? []
      : {
          id: 'metadata-type',
          key: 'metadata',
          message: 'Metadata does not map strings to strings.',
          fix: 'Put numbers and dates in quotes. Leave nested keys that a host reads as they are.',
        },
  judgeAllowedTools,
  ({ fields }) =>
    invalidTools(
      'metadata',
      fields.mcpTools.filter((name) => !MCP_TOOL.test(name)),
      'up to 128 letters, digits, `_`, `-`, `.` and `/`',
    ),
  ({ fields }) =>
    invalidTools(
      'allowed-tools',
      fields.allowedTools.filter((name) => !HOST_TOOL.test(name)),
      'a name, with a pattern in parentheses where it needs one',
    ),
  ({ keys: { metadata } }) =>
    !isRecord(metadata) || metadata[RESERVED_TOOLS_KEY] === undefined
      ? []
      : {
          id: 'key-reserved',
          key: 'metadata',
          message: `${RESERVED_TOOLS_KEY} has a prefix that the protocol reserves, but the protocol does not define it.`,
          fix: `Call it ${MCP_TOOLS_KEY}.`,
        },
  judgeUnknownKeys,
  ({ fields: { enabled } }) =>
    enabled
      ? []
      : {
          id: 'skill-disabled',
          key: 'enabled',
          message: 'The skill is disabled.',
          fix: 'Remove `enabled: false` to index it.',
        },
];

function judgeName({ reading, keys, fields: { name }, folder }: Judged): readonly Remark[] {
  const raw = keys.name ?? reading.written.get('name') ?? null;
  const remark = (id: DiagnosticId, message: string, fix: string): Remark => ({
    id,
    key: 'name',
    message,
    fix,
  });
  if (raw === null || (typeof raw === 'string' && raw.trim() === '')) {
    const message = `There is no name; the folder’s name, ${folder}, is used.`;
    return [remark('name-missing', message, `Add \`name: ${folder}\`.`)];
  }
  const format = 'The name is not made of lower-case letters, digits and single hyphens.';
  const length = `The name has ${name.length} characters; ${MAX_NAME} are allowed.`;
  return [
    ...(typeof raw === 'string'
      ? []
      : [remark('name-type', 'The name is not a string.', 'Put the name in quotes.')]),
    ...(NAME_PATTERN.test(name)
      ? []
      : [remark('name-format', format, `Write it like \`${kebab(name) || 'my-skill'}\`.`)]),
    ...(name.length <= MAX_NAME
      ? []
      : [remark('name-too-long', length, 'Shorten the name and move the rest to the description.')]),
    ...(name === folder
      ? []
      : [
          remark(
            'name-folder',
            `The name is ${name}, but the folder’s name is ${folder}.`,
            'Give both the same name.',
          ),
        ]),
  ];
}

function judgeDescription({ reading, keys, fields: { description } }: Judged): readonly Remark[] {
  const raw = keys.description ?? reading.written.get('description') ?? null;
  const remark = (id: DiagnosticId, message: string, fix: string): Remark => ({
    id,
    key: 'description',
    message,
    fix,
  });
  if (description === null) {
    const fix = 'Add a description: what the skill does and when to use it.';
    return [remark('description-missing', 'There is no description.', fix)];
  }
  const length = [...description].length;
  const tooLong = `The description has ${length} characters; ${MAX_DESCRIPTION.toLocaleString('en')} are allowed.`;
  return [
    ...(typeof raw === 'string'
      ? []
      : [remark('description-type', 'The description is not a string.', 'Put it in quotes.')]),
    ...(length <= MAX_DESCRIPTION
      ? []
      : [remark('description-too-long', tooLong, 'Move details to the body.')]),
  ];
}

function judgeAllowedTools({ keys, fields: { allowedTools } }: Judged): readonly Remark[] {
  const allowed = keys['allowed-tools'];
  // A list whose names hold spaces says more than one string could.
  const isList = Array.isArray(allowed) && allowed.some((name) => /\s/.test(toText(name).trim()));
  if (allowed === undefined || isList || (typeof allowed === 'string' && !allowed.includes(','))) return [];
  const message = '`allowed-tools` is not a space-separated string.';
  const fix = `Write \`${allowedTools.slice(0, 3).join(' ')} …\`.`;
  return [{ id: 'allowed-tools-type', key: 'allowed-tools', message, fix }];
}

function invalidTools(key: string, names: readonly string[], form: string): readonly Remark[] {
  if (names.length === 0) return [];
  const message = `Invalid tool names: ${names.map((name) => JSON.stringify(name)).join(', ')}.`;
  return [{ id: 'tool-unknown', key, message, fix: `Separate names by spaces; each is ${form}.` }];
}

function judgeUnknownKeys({ keys }: Judged): readonly Remark[] {
  const unknown = Object.keys(keys).filter((key) => !SPECIFIED.includes(key) && !OF_HOSTS.includes(key));
  if (unknown.length === 0) return [];
  const message = `Not part of the specification: ${unknown.join(', ')}.`;
  const fix = 'Move such keys below `metadata:` if no host reads them.';
  return [{ id: 'key-unknown', key: unknown[0]!, message, fix }];
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
function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(toText).filter(Boolean).join(', ');
  if (isRecord(value)) return Object.values(value).map(toText).filter(Boolean).join('\n');
  return String(value);
}

function toTextList(value: unknown): string[] {
  const items = Array.isArray(value) ? value.map(toText) : toText(value).split(/[,;\n]/);
  return items.map((item) => item.trim()).filter(Boolean);
}

/** `Read, Bash(git add:*) Write` has three names: a space or comma in parentheses belongs to the name. */
function toolNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.map((item) => toText(item).trim()).filter(Boolean);
  return toText(value).match(/(?:\([^)]*\)?|[^\s,(])+/g) ?? [];
}

function includesWord(value: unknown, words: ReadonlySet<string>): boolean {
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
