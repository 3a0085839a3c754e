import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DIAGNOSTICS, diagnose, ruleMeaning } from '../../../src/skills/diagnostics.ts';
import { expectedProblems } from './fixtures.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');

function textBelow(folder: string): string {
  const files = readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' });
  const code = files.filter((path) => path.endsWith('.ts') && !/diagnostics(?:\.test)?\.ts$/.test(path));
  return code.map((path) => readFileSync(join(REPOSITORY, folder, path), 'utf8')).join('\n');
}

describe('DIAGNOSTICS', () => {
  const source = textBelow('src') + textBelow('extensions');
  const tests = textBelow('test');
  const fixtures = new Set(
    Object.values(expectedProblems()).flatMap((problems) => problems.map((each) => each.replace(/ .*/, ''))),
  );

  it.each(Object.keys(DIAGNOSTICS))(
    'has %s because it can be met, and a fixture or a test meets it',
    (id) => {
      expect(source).toContain(`'${id}'`);
      expect(fixtures.has(id) || new RegExp(`['\`]${id}[ ']`).test(tests)).toBe(true);
    },
  );

  it('lists every id that a fixture expects', () => {
    expect([...fixtures].filter((id) => !(id in DIAGNOSTICS))).toEqual([]);
  });

  it('explains each id in one sentence', () => {
    for (const { meaning } of Object.values(DIAGNOSTICS)) expect(meaning).toMatch(/^[A-Z`].*\.$/);
  });
});

describe('diagnose', () => {
  it('takes the severity from the table and omits undefined fields', () => {
    expect(diagnose('root-missing', '.', 'Gone.')).toEqual({
      id: 'root-missing',
      severity: 'error',
      message: 'Gone.',
      path: '.',
    });
  });

  it('begins at the first column unless it says otherwise', () => {
    const at = (place: Parameters<typeof diagnose>[3]) => diagnose('link-dead', 'a.md', 'Dead.', place);
    expect(at({ fix: 'Repair it.', line: 7 })).toMatchObject({
      fix: 'Repair it.',
      path: 'a.md',
      position: { line: 7, column: 1 },
    });
    expect(at({ line: 7, column: 3 })).toMatchObject({ position: { line: 7, column: 3 } });
    expect(at({ line: 7 }).fix).toBeUndefined();
  });
});

describe('ruleMeaning', () => {
  it('explains ids that are known, and repeats others', () => {
    expect(ruleMeaning('encoding-bom')).toBe(DIAGNOSTICS['encoding-bom'].meaning);
    expect(ruleMeaning('link-dead')).toContain('no file');
    expect(ruleMeaning('from-a-later-version')).toBe('from-a-later-version');
  });
});
