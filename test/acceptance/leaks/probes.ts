/**
 * The probes: every method and every tool, with arguments made from their schemas and from texts that name hidden
 * skills, visible ones and none. An unknown method or kind of argument is an error, so that a new one gets
 * its probes.
 */

import type { Asking } from './asking.ts';

/** Ids, names and words: hidden, visible, misspelt, and none. */
const NAMES = [
  'closed:merger',
  'merger',
  'mergr',
  'closed:pdf-forms',
  'open:pdf-forms',
  'pdf-forms',
  'deploy',
  'open:team/deploy',
  'team/deploy',
  'secret/plan',
  'open:secret/plan',
  'guides',
  'open:guides/secret-annex',
  'open:guides/annex',
  'whole-mirror',
  'payroll',
  'open:kiln',
  'tea',
  'old/tea',
  'quokka-7',
  'nothing-of-the-kind',
];
export const QUERIES = [
  '',
  'quokka',
  'fill in a PDF form',
  'plan the merger with Quokka Holdings',
  'fire stoneware in a kiln',
  'clean messy tables',
  'payroll engine secret plan',
  'deploy to the cluster with a canary',
];
const PATHS = [
  'SKILL.md',
  'references/fields.md',
  'references/style.md',
  'secret-annex/SKILL.md',
  'secret-annex/notes.md',
  './secret-annex/notes.md',
  'secret-annex',
  'secret-annex/none.md',
  'annex/lists.md',
  '../secret/plan/SKILL.md',
  '../payroll/SKILL.md',
  'assets/font.ttf',
  'notes',
];
export const URIS = [
  'skill://open/pdf-forms/SKILL.md',
  'skill://open/pdf-forms/references/fields.md',
  'skill://open/pdf-forms',
  'skill://closed/merger/SKILL.md',
  'skill://closed/merger',
  'skill://closed',
  'skill://open',
  'skill://open/guides',
  'skill://open/guides/SKILL.md',
  'skill://open/guides/secret-annex',
  'skill://open/guides/secret-annex/SKILL.md',
  'skill://open/guides/secret-annex/notes.md',
  'skill://open/guides/annex',
  'skill://open/guides/annex/lists.md',
  'skill://open/guides/annex/closed-part',
  'skill://open/guides/annex/closed-part/notes.md',
  'skill://guides/annex/closed-part/SKILL.md',
  'skill://guides/annex/SKILL.md',
  'skill://guides/annex',
  'skill://mirror/mirror/-/whole-mirror/SKILL.md',
  'skill://whole-mirror/tea/SKILL.md',
  'skill://open/secret/plan/SKILL.md',
  'skill://open/none/SKILL.md',
  'skillgate:file?skill=merger&path=SKILL.md',
  'skillgate:file?skill=open%3Akiln&path=SKILL.md',
  'skillgate:file?skill=guides&path=secret-annex%2Fnotes.md',
];
const TYPED = [
  '',
  'o',
  'open',
  'open/',
  'c',
  'closed',
  'closed/',
  'clo',
  'me',
  'pdf',
  'secret',
  'quo',
  'd',
  'skill',
];
const ALL = [...NAMES, ...QUERIES, ...PATHS, ...URIS];
const HEADINGS = ['Flatten', 'Style', 'Quokka notes', 'none'];
const FILTERS = ['open', 'closed', 'mirror', 'internal', 'Internal', 'payroll', 'pdf'];

type Arguments = Readonly<Record<string, unknown>>;

/** By the name of an argument; others get everything. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  skill: [...NAMES, ...URIS],
  id: [...NAMES, ...URIS],
  skill_name: [...NAMES, ...URIS],
  name: [...NAMES, ...URIS],
  query: [...QUERIES, ...NAMES],
  path: PATHS,
  tool_name: PATHS,
  section: HEADINGS,
  heading: HEADINGS,
  lines: ['1-3', '900-901'],
  server: ['open', 'closed', 'none'],
  tool: ['pdf_read', 'quokka_feed', 'none'],
  task: ['feed the quokka'],
};
/** Values of a required argument while another one varies. */
const STEADY: Readonly<Record<string, readonly string[]>> = {
  skill: ['open:pdf-forms', 'guides', 'closed:merger'],
  id: ['guides'],
  skill_name: ['guides', 'closed:merger'],
  name: ['guides', 'merger'],
  query: ['fill in a quokka form', ''],
  path: ['SKILL.md', 'secret-annex/notes.md'],
  tool_name: ['scripts/fill.py'],
  server: ['open', 'closed'],
  tool: ['pdf_read', 'quokka_feed'],
};

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly prefixItems?: readonly JsonSchema[];
}

/** Probe values for an argument. Throws for an unknown kind. */
function valuesFor(name: string, schema: JsonSchema): unknown[] {
  if (name === 'cursor') return ['bm90aGluZw'];
  if (schema.enum !== undefined) return [...schema.enum];
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((each) => valuesFor(name, each));
  switch (schema.type) {
    case 'string':
      return [...(TEXTS[name] ?? ALL)];
    case 'integer':
    case 'number': {
      const { minimum = 1, maximum = 50 } = schema;
      return [...new Set([minimum, Math.min(2, maximum), Math.min(maximum, 50_000)])];
    }
    case 'boolean':
      return [true, false];
    case 'array':
      return name === 'lines' ? ['1-3', '900-901'] : FILTERS.map((value) => [value]);
    case 'object':
      return [
        {},
        ...Object.entries(schema.properties ?? {}).flatMap(([member, inner]) =>
          valuesFor(member, inner).map((value) => ({ [member]: value })),
        ),
      ];
    default:
      throw new Error(`Nobody says what the argument ${name} is asked with: ${JSON.stringify(schema)}.`);
  }
}

/** Varies each argument; the other required ones take each of their steady values. */
function argumentsFor({ properties = {}, required = [] }: JsonSchema): Arguments[] {
  let bases: Arguments[] = [{}];
  for (const name of required)
    bases = bases.flatMap((base) =>
      (STEADY[name] ?? valuesFor(name, properties[name]!).slice(0, 1)).map((value) => ({
        ...base,
        [name]: value,
      })),
    );
  const varied = Object.entries(properties).flatMap(([name, schema]) =>
    valuesFor(name, schema).flatMap((value) => bases.map((base) => ({ ...base, [name]: value }))),
  );
  const distinct = new Map([...bases, ...varied].map((each) => [JSON.stringify(each), each]));
  return [...distinct.values()];
}

export interface Probe {
  readonly method: string;
  readonly params: Arguments;
}

interface Declared {
  readonly result?: {
    readonly tools?: readonly { readonly name: string; readonly inputSchema: JsonSchema }[];
    readonly prompts?: readonly {
      readonly name: string;
      readonly arguments?: readonly { readonly name: string; readonly required?: boolean }[];
    }[];
    readonly resourceTemplates?: readonly { readonly uriTemplate: string }[];
  };
}

/** All probes for this server, from its own declarations. */
export async function probesOf(server: Asking): Promise<Probe[]> {
  const declared = async (method: string): Promise<NonNullable<Declared['result']>> => {
    const answer: Declared = JSON.parse(await server.ask(method));
    return answer.result ?? {};
  };
  const { tools = [] } = await declared('tools/list');
  const { prompts = [] } = await declared('prompts/list');
  const { resourceTemplates = [] } = await declared('resources/templates/list');
  const uris = URIS.map((uri) => ({ uri }));
  const names = [...NAMES, ...URIS].map((name) => ({ name }));
  const completions = [
    ...prompts.flatMap(({ name, arguments: own = [] }) =>
      own.map((argument) => ({ ref: { type: 'ref/prompt', name }, argument: argument.name })),
    ),
    ...resourceTemplates.flatMap(({ uriTemplate }) =>
      Array.from(uriTemplate.matchAll(/\{[?+]?([^}]+)\}/g), ([, variables = '']) => variables.split(','))
        .flat()
        .map((argument) => ({ ref: { type: 'ref/resource', uri: uriTemplate }, argument })),
    ),
  ];
  const paramsOf: Readonly<Record<string, readonly Arguments[]>> = {
    initialize: [
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    ],
    'server/discover': [{}],
    ping: [{}],
    'tools/list': [{}],
    'prompts/list': [{}],
    'resources/list': [{}],
    'resources/templates/list': [{}],
    'skills/list': [{}, { cursor: 'bm90aGluZw' }],
    'tools/call': tools.flatMap(({ name, inputSchema }) =>
      argumentsFor(inputSchema).map((own) => ({ name, arguments: own })),
    ),
    'prompts/get': prompts.flatMap(({ name, arguments: own = [] }) => {
      const properties = Object.fromEntries(own.map((each) => [each.name, { type: 'string' }]));
      const required = own.filter((each) => each.required === true).map((each) => each.name);
      return argumentsFor({ properties, required }).map((given) => ({ name, arguments: given }));
    }),
    'completion/complete': completions.flatMap(({ ref, argument }) =>
      TYPED.map((value) => ({ ref, argument: { name: argument, value } })),
    ),
    'resources/read': uris,
    'resources/directory/read': uris,
    'skills/get': [...uris, ...names, {}],
    'skills/read': names,
    'skills/read_reference': ['guides', 'open:pdf-forms', 'merger', 'none'].flatMap((name) =>
      PATHS.map((reference) => ({ name, reference })),
    ),
    'skills/execute': NAMES.map((name) => ({ name, script: 'scripts/fill.py', arguments: {} })),
    // Keeps its connection open; the test of changes covers its messages.
    'subscriptions/listen': [],
  };
  return server.methods.flatMap((method) => {
    const all = paramsOf[method];
    if (all === undefined) throw new Error(`Nobody says how ${method} is asked.`);
    return all.map((params) => ({ method, params }));
  });
}

/** Most pages of one list that are followed. */
const PAGES = 20;

/** The answer, and those of the following pages. */
export async function answersTo(server: Asking, { method, params }: Probe): Promise<string[]> {
  const answers = [await server.ask(method, params)];
  for (let page = 1; page < PAGES; page += 1) {
    const cursor = /"next_?[cC]ursor":"([^"]+)"/.exec(answers.at(-1) ?? '')?.[1];
    if (cursor === undefined) break;
    const next =
      method === 'tools/call'
        ? { ...params, arguments: { ...(params.arguments as Arguments), cursor } }
        : { ...params, cursor };
    answers.push(await server.ask(method, next));
  }
  // The request id is our own counter.
  return answers.map((answer) => answer.replace(/"id":\d+/, '"id":0'));
}
