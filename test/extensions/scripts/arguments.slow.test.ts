import { describe, expect, it } from 'vitest';
import { checkWords, givenBy } from '../../../extensions/scripts/arguments.ts';

const given = (values: Record<string, unknown>, style: 'auto' | 'flags' | 'stdin' = 'auto', script = '') => {
  const { words, stdin, files } = givenBy(values, style, script);
  return { words, stdin: Buffer.from(stdin).toString(), files: files.map(({ path }) => path) };
};
const refusedFor = (values: Record<string, unknown>) => {
  try {
    given(values);
    return null;
  } catch (error) {
    return error;
  }
};

describe('arguments', () => {
  it('become flags, and JSON on standard input', () => {
    expect(given({ name: 'a b', n: 3, loud: true, quiet: false, none: null, tag: ['x', 'y'] })).toEqual({
      words: ['--name', 'a b', '-n', '3', '--loud', '--tag', 'x', '--tag', 'y'],
      stdin: '{"name":"a b","n":3,"loud":true,"quiet":false,"none":null,"tag":["x","y"]}',
      files: [],
    });
  });

  it('join a value that looks like a flag with `=`', () => {
    expect(given({ text: '--help', by: '-1' }).words).toEqual(['--text=--help', '--by=-1']);
  });

  it('are spelled as in the script', () => {
    expect(given({ max_rows: 5 }, 'auto', 'add("--max-rows")').words).toEqual(['--max-rows', '5']);
    expect(given({ max_rows: 5 }, 'auto', 'add("--max_rows", "--max-rows")').words).toEqual([
      '--max_rows',
      '5',
    ]);
    expect(given({ max_rows: 5 }).words).toEqual(['--max_rows', '5']);
  });

  it('go to standard input only where a value does not fit a flag, or where the skill says so', () => {
    expect(given({ rows: [{ a: 1 }] })).toEqual({ words: [], stdin: '{"rows":[{"a":1}]}', files: [] });
    expect(given({ a: 1 }, 'stdin').words).toEqual([]);
    expect(given({ rows: [{ a: 1 }], by: { c: 2 } }, 'flags').words).toEqual([
      '--rows',
      '{"a":1}',
      '--by',
      '{"c":2}',
    ]);
  });

  it('can be words without a flag, text for standard input, and files', () => {
    expect(given({ _: ['in.csv', 2], _stdin: 'text', _files: { 'in.csv': 'a;b', 'd/e.txt': '' } })).toEqual({
      words: ['in.csv', '2'],
      stdin: 'text',
      files: ['in.csv', 'd/e.txt'],
    });
  });

  it.each([
    [{ 'a b': 1 }],
    [{ '--x': 1 }],
    [{ '': 1 }],
    [{ '$(id)': 1 }],
    [{ _: [{}] }],
    [{ _stdin: 1 }],
    [{ _files: ['x'] }],
    [{ _files: { '../x': '' } }],
    [{ _files: { '/x': '' } }],
    [{ _files: { 'a/./b': '' } }],
    [{ _files: { 'a//b': '' } }],
    [{ _files: { 'x\0': '' } }],
    [{ _files: { x: 1 } }],
    [{ a: 'nul\0' }],
    [{ a: 'x'.repeat(200_000) }],
  ])('are refused where they cannot be passed on: %j', (values) => {
    expect(refusedFor(values)).toMatchObject({ code: 'SCRIPT_ARGUMENTS' });
  });

  it('are bounded in number', () => {
    expect(() => checkWords(Array(1_001).fill('x'))).toThrow('1000 words');
  });
});
