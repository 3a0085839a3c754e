import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../src/app/app-error.ts';
import { overridesOfFlags } from '../../../../src/app/config/overrides.ts';
import { configSchema } from '../../../../src/app/config/schema.ts';
import { examples } from '../../../thorough.ts';
import { HERE, readConfig } from './read-config.ts';

/** The problems of a text, each as `where message`. */
function problemsOf(text: string, file = 'c.yaml', flags: readonly string[] = []): string[] {
  try {
    readConfig(text, file, overridesOfFlags(flags, HERE));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    for (const { where } of error.problems) expect(error.message).toContain(where);
    return error.problems.map(({ where, message }) => `${where} ${message}`);
  }
  return [];
}

describe('readConfig', () => {
  it('reads JSON and YAML alike, and fills in defaults', () => {
    const json = readConfig('{"sources": [{"kind": "git", "url": "https://x.org/a.git"}]}', 'c.json').config;
    const yaml = readConfig('sources:\n  - kind: git\n    url: https://x.org/a.git\n', 'c.yaml').config;
    expect(json).toEqual(yaml);
    expect(json.refresh).toBe('15m');
    expect(json.scripts.enabled).toBe(false);
    expect(json.tools.gate).toBe('off');
  });

  it('names the text that has a NUL character', () => {
    const text = '{"sources": [\n{"kind": "local", "root": "x\\u0000"}]}';
    expect(problemsOf(text, 'c.json')).toEqual([
      expect.stringMatching(/^c\.json:2:27 The value has a NUL character/),
    ]);
  });

  it('reads an empty file as the defaults, and accepts "$schema"', () => {
    const defaults = configSchema.parse({});
    for (const text of ['', '\n', '# nothing yet\n'])
      expect(readConfig(text, 'c.yaml').config).toEqual(defaults);
    expect(readConfig('{"$schema": "x.json"}', 'c.json').config).toEqual({ ...defaults, $schema: 'x.json' });
  });

  it('reads JSON that is indented with tabs, and one with a byte order mark', () => {
    expect(
      readConfig('{\n\t"limits": {\n\t\t"bytesPerMinute": 5\n\t}\n}', 'c.json').config.limits.bytesPerMinute,
    ).toBe(5);
    expect(readConfig('\ufeff{"limits": {"bytesPerMinute": 5}}', 'c.json').config.limits.bytesPerMinute).toBe(
      5,
    );
    expect(readConfig('\ufefflimits:\n  bytesPerMinute: 5\n', 'c.yaml').config.limits.bytesPerMinute).toBe(5);
  });

  it.each([
    [
      'an unknown setting, with the one that was meant',
      'sorces: []',
      [
        'c.yaml:1:1 There is no setting "sorces" in the configuration. Did you mean "sources"? Allowed: $schema, sources, refresh, index, pinned, policy, auth, http, limits, telemetry, tools, scripts, store, ard, learn, validate.',
      ],
    ],
    [
      'one that is like no other',
      'zzzzzzzz: []',
      [
        'c.yaml:1:1 There is no setting "zzzzzzzz" in the configuration. Allowed: $schema, sources, refresh, index, pinned, policy, auth, http, limits, telemetry, tools, scripts, store, ard, learn, validate.',
      ],
    ],
    [
      'one of a kind of source',
      'sources:\n  - kind: local\n    root: a\n    rot: b\n',
      [
        'c.yaml:4:5 There is no setting "rot" in sources[0]. Did you mean "root"? Allowed: kind, name, root, links.',
      ],
    ],
    [
      'a kind that there is not',
      'sources:\n  - kind: gti\n',
      [
        'c.yaml:2:11 sources[0].kind: expected one of local, git, mcp, well-known, archive. Did you mean "git"?',
      ],
    ],
    [
      'a source without a kind',
      'sources:\n  - root: a\n',
      ['c.yaml:2:5 sources[0].kind: expected one of local, git, mcp, well-known, archive.'],
    ],
    [
      'a duration without a unit',
      'sources: []\nrefresh: 15\n',
      ['c.yaml:2:10 refresh: Invalid input: expected string, received number.'],
    ],
    [
      'a duration of another form',
      'limits:\n  requestTimeout: soon\n',
      ['c.yaml:2:19 limits.requestTimeout: takes a whole number with a unit: 30s, 15m, 6h, 7d.'],
    ],
    [
      'a longer lease than any gateway may have',
      'store: { url: postgres://db, lease: 11m }\n',
      ['c.yaml:1:37 store.lease: takes at most 10m.'],
    ],
    [
      'a size of another form',
      'limits: { bytesPerMinute: 12 MB }\n',
      ['c.yaml:1:27 limits.bytesPerMinute: takes bytes or a unit: 16MiB.'],
    ],
    [
      'a scope that excludes',
      'policy:\n  rules:\n    - who: ["scope:!admin"]\n',
      [
        'c.yaml:3:13 policy.rules[0].who[0]: takes * and, alone between slashes, **; deny excludes, "!" does not.',
      ],
    ],
    [
      'a choice',
      'tools:\n  gate: loadde\n',
      ['c.yaml:2:9 tools.gate: Invalid option: expected one of "off"|"loaded"|"all". Did you mean "loaded"?'],
    ],
    [
      'a value of none of the kinds that a setting takes',
      'learn: maybe\n',
      [
        'c.yaml:1:8 learn: Invalid input: expected boolean, received string, or Invalid input: expected object, received string.',
      ],
    ],
    [
      'a part of a setting that takes several kinds',
      'learn:\n  minPrincipals: many\n',
      ['c.yaml:2:18 learn.minPrincipals: Invalid input: expected number, received string.'],
    ],
    [
      'a number out of range',
      'http:\n  port: 70000\n',
      ['c.yaml:2:9 http.port: Too big: expected number to be <=65535.'],
    ],
    [
      'what is no mapping',
      '- a\n',
      ['c.yaml:1:1 The configuration: Invalid input: expected object, received array.'],
    ],
    [
      'nothing where something is needed',
      'http:\n',
      ['c.yaml:1:6 http: Invalid input: expected object, received null.'],
    ],
    [
      'both of two that exclude each other',
      'sources:\n  - kind: mcp\n    url: http://a\n    command: b\n',
      ['c.yaml:2:5 sources[0]: takes either command or url.'],
    ],
    [
      'a broken list',
      'sources: [\n',
      [expect.stringMatching(/^c\.yaml:2:1 The file cannot be read as YAML: .*\.$/)],
    ],
    ...['!!omap\n - default: deny', '2020-01-01', '!!set {a}', '{default: 2020-01-01}'].map(
      (policy): [string, string, unknown[]] => [
        `policy: ${policy} of YAML 1.1`,
        `%YAML 1.1\n---\npolicy: ${policy}\n`,
        [
          expect.stringMatching(
            /^c\.yaml:[34]:\d+ The file cannot be read as YAML: a value has a type that JSON lacks/,
          ),
        ],
      ],
    ),
    ...[
      'ghp_SECRET',
      'a: *ghp_SECRET',
      'a: !ghp_SECRET x',
      'machine x login y password ghp_SECRET: z: a',
      '"\\ghp_SECRET"',
    ].map((text): [string, string, unknown[]] => [
      `the text of another file (${text})`,
      text,
      [expect.not.stringContaining('SECRET')],
    ]),
    [
      'a setting that is given twice',
      'http: {}\nhttp: {}\n',
      [expect.stringMatching(/^c\.yaml:2:1 The file cannot be read as YAML: a key is given twice\.$/)],
    ],
  ])('reports %s with its position and the allowed values', (_, text, expected) => {
    expect(problemsOf(text)).toEqual(expected);
  });

  it.each(['*', 'https://*', 'https://*.example.org', '*.example.org'])(
    'refuses the wildcard %s for origins, which would never match',
    (origin) => {
      const text = `http:\n  allowedOrigins: ["moz-extension://*", "${origin}"]`;
      expect(problemsOf(text)).toEqual([
        `c.yaml:2:41 http.allowedOrigins[1]: takes no wildcard for a site: list each origin or host.`,
      ]);
    },
  );

  it.each(['localhost', '10.0.0.0/33', '10.0.0'])('refuses %s as a trusted proxy', (proxy) => {
    const text = `http:\n  trustedProxies: ["fd00::/8", "10.0.0.1", "${proxy}"]`;
    expect(problemsOf(text)).toEqual([
      'c.yaml:2:44 http.trustedProxies[2]: takes an address or a network: 10.0.0.1, 10.0.0.0/8, fd00::/8.',
    ]);
  });

  it('reports all problems at once, in the order of the file', () => {
    const text = 'limit: {}\nhttp:\n  port: x\nscripts:\n  timeout: 0\n';
    const places = problemsOf(text).map((problem) => problem.split(' ')[0]);
    expect(places).toEqual(['c.yaml:1:1', 'c.yaml:3:9', 'c.yaml:5:12']);
  });

  it('rejects invalid JSON, with its position', () => {
    expect(problemsOf('{"http": {},}', 'c.json')).toEqual([
      expect.stringMatching(/^c\.json:1:\d+ .*as JSON/),
    ]);
    expect(problemsOf('http: {}', 'c.json')).toEqual([expect.stringMatching(/^c\.json:1:1 .*as JSON/)]);
    expect(problemsOf('{\n  "http": {\n    "port": 3\n', 'c.json')).toEqual([
      expect.stringMatching(/^c\.json:4:1 .*as JSON: a closing } is missing\.$/),
    ]);
  });

  it('names the flag of a rejected value, not a line of the file', () => {
    expect(problemsOf('http: {}\n', 'c.yaml', ['http.port=70000'])).toEqual([
      '--set http.port http.port: Too big: expected number to be <=65535.',
    ]);
  });

  it('quotes no value that may be a secret', () => {
    const text =
      'sources:\n  - kind: mcp\n    url: hunter2\n    headers: { Authorization: [hunter2], A: 1234567 }\n    args: hunter2\n';
    const problems = problemsOf(text);
    expect(problems).toHaveLength(4);
    expect(problems.join('\n')).not.toMatch(/hunter2|1234567/);
  });

  it('throws only its own error, for any text', () => {
    const known = [
      'sources',
      'kind',
      'git',
      'mcp',
      'headers',
      'policy',
      'rules',
      'limits',
      '__proto__',
      'constructor',
    ];
    const word = fc.oneof(fc.constantFrom(...known), fc.string({ maxLength: 6 }));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constant(null),
        fc.integer(),
        fc.boolean(),
        word,
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(word, tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    const text = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.string({
        unit: fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          ':',
          '-',
          ' ',
          '\n',
          '&a',
          '*a',
          '"',
          "'",
          '|',
          '<<',
          '!!',
          'a',
          '\t',
          '%',
        ),
        maxLength: 40,
      }),
      value.map((part) => JSON.stringify(part)),
      fc.dictionary(word, value, { maxKeys: 4 }).map((part) => JSON.stringify(part, null, 2)),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('c.json', 'c.yaml'), (written, file) => {
        for (const problem of problemsOf(written, file))
          expect(problem).toMatch(/^c\.(json|yaml):\d+:\d+ \S.*\.$/s);
      }),
      { numRuns: examples(2_000) },
    );
  });

  it('rejects endless nesting, multiplying aliases and huge files', () => {
    expect(problemsOf('['.repeat(100_000))).toHaveLength(1);
    const lines = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...Array.from(
        'bcdefgh',
        (name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(', ')}]`,
      ),
    ];
    expect(problemsOf(lines.join('\n'))).toEqual([expect.stringContaining('alias')]);
    expect(problemsOf('#'.repeat(2 ** 21))).toEqual([expect.stringContaining('at most 1048576')]);
  });
});
