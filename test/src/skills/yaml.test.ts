import matter from 'gray-matter';
import { describe, expect, it } from 'vitest';
import { readYaml } from '../../../src/skills/yaml.ts';
import { problemsOf } from './fixtures.ts';

const read = (text: string) => readYaml(text, 2, 'SKILL.md');

describe('readYaml', () => {
  it('reads YAML 1.2: no dates, no yes and no, no octal', () => {
    expect(read('a: 2024-01-31\nb: yes\nc: 010\nd: off\ne: 1_000').keys).toEqual({
      a: '2024-01-31',
      b: 'yes',
      c: 10,
      d: 'off',
      e: '1_000',
    });
  });

  it('keeps the written text next to the parsed value', () => {
    const { keys, written } = read('name: 007\ndescription: |\n  two\n  lines\nx: [a]');
    expect(keys).toMatchObject({ name: 7 });
    expect(written.get('name')).toBe('007');
    expect(written.get('description')).toBe('two\nlines\n');
    expect(written.has('x')).toBe(false);
  });

  it('reads __proto__ as an ordinary key', () => {
    const { keys } = read('__proto__:\n  polluted: true\nname: tea');
    expect(Object.keys(keys ?? {})).toEqual(['__proto__', 'name']);
    expect({}).not.toHaveProperty('polluted');
  });

  it('does not change gray-matter’s cache and engines', () => {
    const engines = { ...Reflect.get(matter, 'engines') };
    read('name: tea');
    expect(Reflect.get(matter, 'cache')).toEqual({});
    expect(Reflect.get(matter, 'engines')).toEqual(engines);
  });

  it('reports lines of the file, also in repaired text', () => {
    const text = 'name: tea\nmetadata:\n  a: b: c\ndescription: d: e';
    expect(read(text).diagnostics).toMatchObject([
      // The text begins on line 2 of the file.
      { id: 'yaml-colon', position: { line: 4, column: 6 } },
      { id: 'yaml-colon', position: { line: 5, column: 14 } },
    ]);
    expect(read(text).keys).toEqual({ name: 'tea', metadata: { a: 'b: c' }, description: 'd: e' });
  });

  it.each([
    // The text begins on line 2 of the file.
    ['a: [1]\n\u2028b: c', '3:1', 'line end or mark', 'Remove the character'],
    ['a: b\uFEFF', '2:5', 'line end or mark', 'Remove the character'],
    ['a: !x b', '2:1', 'YAML tags', 'Remove the tags'],
    ['a: !!str b', '2:10', 'Aliases and tags', 'Write the value out'],
    ['a: !!map\n  b: c', '3:3', 'Aliases and tags', 'Write the value out'],
    ['a: x\nb: &y [1]', '3:7', 'Anchors', 'Write the value out'],
    ['a: &x b', '2:7', 'Anchors', 'Write the value out'],
    ['a: x\n1: y', '3:1', 'key is not text', 'in quotes'],
    ['? [a]\n: b', '2:3', 'key is not text', 'in quotes'],
    ['? a\n  b\n: c', '2:3', 'written with `?`', '`key: value`'],
    ['x: y\nmetadata:\n  ? "a"\n  : b', '4:5', 'written with `?`', '`key: value`'],
    ['? a', '2:3', 'written with `?`', '`key: value`'],
    ['a: {x: y, ? b: c}', '2:13', 'written with `?`', '`key: value`'],
    ['a: {x: y, b}', '2:11', 'has no value', '`key: value`'],
    ['a: {b: {"c"}}', '2:9', 'has no value', '`key: value`'],
    ['__proto__: a', '2:1', 'key is not text', 'in quotes'],
    ['a: [b,\n  c]', '2:4', 'spans several lines', 'one item per line'],
    ['a: {b: c,\n  d: e}', '2:4', 'spans several lines', 'one item per line'],
    ['a: [b: c]', '2:4', 'contains keys', 'in quotes'],
    ['a: [x, b: c]', '2:4', 'contains keys', 'in quotes'],
    ['a: {b: [c: d]}', '2:8', 'contains keys', 'in quotes'],
    ['a: b\nc: .inf', '3:4', 'not finite', 'in quotes'],
    ['a: .NaN', '2:4', 'not finite', 'in quotes'],
    ['a: "b\n  c"', '2:4', 'spans several lines', 'below `>`'],
    ["a:\n  - 'b\n    c'", '3:5', 'spans several lines', 'below `>`'],
    ['a: {b: , c: d}', '2:8', 'value is missing', 'in quotes'],
    ['a: {b: {c: }}', '2:12', 'value is missing', 'in quotes'],
    ['a: {-: b}', '2:5', 'special character', 'in quotes'],
    ['a: {:: b}', '2:5', 'special character', 'in quotes'],
    ['a:\n  b: |2\n     c', '3:6', 'indentation', 'Remove the digit'],
    ['a: >-1\n  c', '2:4', 'indentation', 'Remove the digit'],
    [`a: ${'['.repeat(28)}b${']'.repeat(28)}`, '2:32', 'too deeply', 'Use fewer levels'],
    [`a: ${'['.repeat(40)}b${']'.repeat(40)}`, '2:32', 'too deeply', 'Use fewer levels'],
  ])('reports what is beyond the common subset in %j, where it begins', (text, place, message, fix) => {
    const reading = read(text);
    expect(problemsOf(reading)).toEqual([`yaml-subset ${place}`]);
    expect(reading.diagnostics[0]?.message).toContain(message);
    expect(reading.diagnostics[0]?.fix).toContain(fix);
    expect(reading.strict).toBe(false);
    expect(reading.keys).not.toBeNull();
  });

  it.each([
    'a: b',
    'a: {b: c}',
    'a: [b, c]',
    'a: [{b: c}, {d: e}]',
    'a: {b: [c]}',
    'a: |\n  b\n  c',
    'a: >-\n  b 1',
    'a: |+\n  2\n',
    'a: 1.5',
    'a: "b"',
    'a:\n  - b\n  -',
    'a: b\n  c',
    'a:',
    'a: -b',
    'wow!: b',
    'wow!: [b]',
    'a: |\n  b >1',
    'a: b!x',
    'a: "!x b"',
    'a: :b',
    'a: ?b',
    'a: b ?\nc: d',
    'a: {b: c ? d, e: f}',
    'a: "&x"',
    '"a b": c',
    '# c',
    '',
    `a: ${'['.repeat(27)}b${']'.repeat(27)}`,
  ])('finds nothing beyond the common subset in %j', (text) => {
    expect(problemsOf(read(text))).toEqual([]);
    expect(read(text).strict).toBe(true);
  });

  it('leaves out line ends and NUL that YAML does not need, and says which hosts may not', () => {
    expect(read('a: b\r\nc: d\r\n')).toMatchObject({ keys: { a: 'b', c: 'd' }, strict: true });
    expect(read('a: b\r')).toMatchObject({ keys: { a: 'b' }, strict: false });
    expect(read('a: b\r\nc: d\re')).toMatchObject({ keys: { a: 'b', c: 'de' }, strict: false });
    expect(read('a: b\0')).toMatchObject({ keys: { a: 'b' }, strict: false });
  });

  it('reads nothing as no keys', () => {
    for (const text of ['', '# a\n', '\t# a'])
      expect(read(text)).toMatchObject({ keys: {}, strict: true, text, diagnostics: [] });
  });

  it('reads up to 65,536 characters', () => {
    const text = (length: number) => `name: tea\nx: ${'y'.repeat(length - 13)}`;
    expect(read(text(65_536))).toMatchObject({ keys: { name: 'tea' }, strict: true });
    const large = read(text(65_537));
    expect(large).toMatchObject({ keys: {}, written: new Map([['name', 'tea']]), strict: false, text: null });
    expect(problemsOf(large)).toEqual(['frontmatter-too-large 2:1']);
    expect(large.diagnostics[0]).toMatchObject({
      message: expect.stringContaining('has 65537 characters'),
      fix: expect.stringContaining('to the body'),
    });
    // What lies beyond is not searched for a name either.
    expect(read(`x: ${'y'.repeat(65_536)}\nname: tea`).keys).toBeNull();
  });

  it('reads at most 4,000 words and signs as YAML, also of a repaired text, and name and description of the rest', () => {
    // Marks of two scalars, the two, a colon, a blank and a line end: seven tokens.
    const short = read('k: v\n'.repeat(500));
    expect(short.diagnostics.every(({ id }) => id === 'yaml-duplicate-key')).toBe(true);
    for (const hostile of ['a: ['.repeat(16_000), `{"'`.repeat(20_000), 'k: v\n'.repeat(1_000)]) {
      const reading = read(`name: tea\n${hostile}`);
      expect(problemsOf(reading)).toEqual(['frontmatter-too-large 2:1']);
      expect(reading.diagnostics[0]?.message).toBe(
        'The front matter has more than 4000 words and signs of YAML.',
      );
      expect(reading.keys === null || reading.written.get('name') === 'tea').toBe(true);
    }
    // A quote that is never closed holds all in one token until it is repaired.
    expect(problemsOf(read(`k: "\n${'name: a: b\n'.repeat(1_500)}`))).toEqual(['yaml-invalid 1503:1']);
  });

  it.each([' ', '\t', '\n', '\u00a0', '\u2000', '\u2003', '\u3000'])(
    'reads up to 2,000 blanks (%j) in a row',
    (blank) => {
      const text = (length: number) => `a: "b"${blank.repeat(length)}# c`;
      expect(problemsOf(read(text(2_000)))).not.toContain('frontmatter-too-large 2:1');
      const { diagnostics } = read(text(2_001));
      expect(problemsOf({ diagnostics })).toEqual(['frontmatter-too-large 2:1']);
      expect(diagnostics[0]).toMatchObject({
        message: expect.stringContaining('2000 blank characters'),
        fix: expect.stringContaining('Remove blank lines'),
      });
    },
  );

  it('does not count characters that are not blank, or blanks apart', () => {
    expect(read(`a: ${'茶'.repeat(3_000)}`).strict).toBe(true);
    expect(read(`a: b${' '.repeat(1_500)}c${' '.repeat(1_500)}d`).strict).toBe(true);
  });

  it.each([
    [1_000, 20, true],
    [20_000, 5, true],
    [20_000, 6, false],
    [60_000, 2, false],
  ])('of %i characters with %i mistakes repairs all: %s', (length, mistakes, isRepaired) => {
    const wrong = Array.from({ length: mistakes }, (_, at) => `key${at}: one: two\n`).join('');
    const { diagnostics } = read(`${wrong}rest: ${'a'.repeat(length - wrong.length - 6)}`);
    expect(diagnostics.some(({ id }) => id === 'yaml-invalid')).toBe(!isRepaired);
  });

  it('repairs 24 mistakes at most', () => {
    const mistakes = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: a: b`).join('\n');
    expect(problemsOf(read(mistakes(24)))).toEqual(
      Array.from({ length: 24 }, (_, at) => `yaml-colon ${at + 2}:${at < 10 ? 5 : 6}`),
    );
    expect(problemsOf(read(mistakes(25)))).toEqual(['yaml-invalid 26:6']);
  });

  it('says why text is not YAML, in one sentence', () => {
    const [found] = read('{{ page }}: [\nname: tea').diagnostics;
    expect(found?.message).toMatch(/^The front matter is not YAML: [A-Z][^\n]*[^.]\.$/);
    expect(found?.message).not.toContain('at line');
    expect(read(`${'# x\n'.repeat(20)}{{ page }}: [\nname: tea`).diagnostics[0]?.message).toBe(
      found?.message,
    );
    expect(found?.message).toMatch(/YAML: Flow sequence.*end with a \]\.$/);
    expect(found?.fix).toContain('Quote values');
  });

  it('reports what it repaired before it found no keys and values', () => {
    const reading = read('- a: b: c');
    expect(reading).toMatchObject({ keys: null, strict: false, text: null });
    expect(problemsOf(reading)).toEqual(['yaml-colon 2:6', 'yaml-not-a-mapping 2:1']);
    expect(reading.diagnostics[1]?.fix).toContain('key: value');
    // Only YAML as it was written can be beyond the common subset.
    expect(problemsOf(read('a: b: c\nd: &x 1'))).toEqual(['yaml-colon 2:4']);
    expect(problemsOf(read('a: 1\na: &x 2'))).toEqual(['yaml-duplicate-key 3:1']);
  });

  it('keeps the first of repeated keys, at any depth', () => {
    const reading = read('a: {b: 1, b: 2}\nc: 1\nd: 2\nc: 3\n? [e]\n: 1\n? [f]\n: 2');
    expect(reading.keys).toEqual({ a: { b: 1 }, c: 1, d: 2, '[ e ]': 1, '[ f ]': 2 });
    expect(problemsOf(reading)).toEqual(['yaml-duplicate-key 2:11', 'yaml-duplicate-key 5:1']);
    expect(reading.diagnostics[0]?.fix).toContain('Keep one');
    // In the order of the text: the inner key is before the outer one.
    expect(problemsOf(read('a:\n  b: 1\n  b: 2\na: 3'))).toEqual([
      ...['yaml-duplicate-key 4:3', 'yaml-duplicate-key 5:1'],
    ]);
  });

  it('keeps no text for keys without a value', () => {
    expect([...read('a:\nb: ~\nc: ""\n1: d').written]).toEqual([
      ['c', ''],
      ['1', 'd'],
    ]);
  });

  it('does not merge', () => {
    expect(read('a: &x {b: 1}\nc:\n  <<: *x').keys).toEqual({ a: { b: 1 }, c: { '<<': { b: 1 } } });
  });

  it.each([
    ['99 aliases are followed', `a: &a [b]\nc: [${Array(99).fill('*a').join(', ')}]`, true],
    ['100 are not', `a: &a [b]\nc: [${Array(100).fill('*a').join(', ')}]`, false],
    // 9 × 7,000 characters, and 10 × 7,000.
    ['up to 65,536 characters', `a: &a ${'b'.repeat(6_000)}\nc: [${Array(9).fill('*a').join(', ')}]`, true],
    ['not more', `a: &a ${'b'.repeat(6_600)}\nc: [${Array(9).fill('*a').join(', ')}]`, false],
    ['a circle is not', 'a: &a [*a]', false],
    ['what is nowhere is not', 'a: *b', false],
  ])('aliases: %s', (_, text, followed) => {
    const reading = read(`name: tea\n${text}`);
    expect(reading.keys).toEqual(followed ? expect.objectContaining({ name: 'tea' }) : {});
    expect(reading.written.get('name')).toBe('tea');
    if (!followed) {
      expect(problemsOf(reading)).toEqual(['yaml-aliases 2:1']);
      expect(reading.diagnostics[0]?.fix).toContain('Write the values out');
    }
  });

  it('follows aliases up to 65,536 characters as JSON', () => {
    const text = (filler: number) =>
      `a: &a ${'b'.repeat(6_000)}\nc: [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nd: ${'e'.repeat(filler)}`;
    const most = 65_536 - JSON.stringify(read(text(1)).keys).length + 1;
    expect(JSON.stringify(read(text(most)).keys)).toHaveLength(65_536);
    expect(problemsOf(read(text(most + 1)))).toEqual(['yaml-aliases 2:1']);
  });

  it('measures only aliases, not characters that JSON escapes', () => {
    expect(read(`a: b${'"'.repeat(40_000)}`).strict).toBe(true);
  });

  it('refuses lists and mappings as keys within such keys, whose text grows with every level', () => {
    for (const text of ['x: 1\n? [a]\n: b', '{{tea}}', '? [a]\n: {? [b] : c}'])
      expect(read(text).keys).not.toBeNull();
    for (const odd of ['? [{? [a] : b}]\n: c', '{{{a: b}: c}: d}: e', `${'? '.repeat(400)}a`]) {
      const reading = read(`name: tea\n${odd}`);
      expect(reading).toMatchObject({ keys: {}, written: new Map([['name', 'tea']]), strict: false });
      expect(problemsOf(reading)).toEqual(['yaml-invalid 2:1']);
      expect(reading.diagnostics[0]?.message).toContain('a key is a list or mapping');
    }
  });

  it('returns null if nothing can be read', () => {
    expect(read('just text').keys).toBeNull();
    expect(read('{{ [').keys).toBeNull();
  });
});

describe('YAML that drops what its author wrote', () => {
  it.each([
    ['description: Posts to the #ops channel.', { description: 'Posts to the #ops channel.' }],
    ['description: #ops gets a note', { description: '#ops gets a note' }],
    ['description: uses the ## [date] header', { description: 'uses the ## [date] header' }],
    ["when_to_use: it's for\n  issue #12", { when_to_use: "it's for issue #12" }],
    ['metadata:\n  short: see #12', { metadata: { short: 'see #12' } }],
    ['tags:\n  - #urgent\n  - hats', { tags: ['#urgent', 'hats'] }],
    ['description: !important Use it', { description: '!important Use it' }],
    ['description: &lay Use it', { description: '&lay Use it' }],
  ])('%j is read as it was meant, with a warning', (text, keys) => {
    const reading = read(`name: tea\n${text}`);
    expect(reading.keys).toEqual({ name: 'tea', ...keys });
    expect(reading.diagnostics).toMatchObject([
      { severity: 'warning', fix: 'Put the value in quotes.', position: { line: expect.any(Number) } },
    ]);
  });

  it.each([
    'name: tea # do not rename',
    'description: Brews. # TODO: more',
    'description: Brews tea.  # too short',
    'license: MIT # see LICENSE',
    '# all of it\nname: tea',
    'metadata: # ours\n  a: b',
    'description: "a #b"',
    'description: |\n  a #b',
    'a: &x 1\nb: *x',
    'version: !!str 1.0',
  ])('%j is YAML as it is meant', (text) => {
    const ids = read(text).diagnostics.map(({ id }) => id);
    expect(ids.filter((id) => id !== 'yaml-subset')).toEqual([]);
  });
});
