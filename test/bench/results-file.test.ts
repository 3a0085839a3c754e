import { describe, expect, it } from 'vitest';
import { commandLine, withSection } from '../../bench/results-file.ts';

const page =
  '# Results\n\n<!-- begin: dev -->\nold\n<!-- end: dev -->\n\n<!-- begin: speed -->\n<!-- end: speed -->\n';
const section = { name: 'dev', title: 'Quality: dev', figures: 'a  1\nb  2\n' };

describe('withSection', () => {
  it('replaces the section of one name and nothing else', () => {
    const once = withSection(page, section, 'npm run bench');
    expect(once).toBe(
      page.replace('\nold\n', '\n\n## Quality: dev\n\n`npm run bench`\n\n```text\na  1\nb  2\n```\n\n'),
    );
    expect(withSection(once, section, 'npm run bench')).toBe(once);
    expect(withSection(page, { ...section, name: 'speed' }, 'x')).toContain('old');
  });

  it('adds a new section at the end, with the conditions of the run above the table', () => {
    const text = withSection('# Results\n', { ...section, conditions: 'Seed 1.' }, 'npm run bench');
    expect(text).toBe(
      '# Results\n\n<!-- begin: dev -->\n\n## Quality: dev\n\n`npm run bench`\n\nSeed 1.\n\n```text\na  1\nb  2\n```\n\n<!-- end: dev -->\n',
    );
  });

  it('refuses a section that has no end', () => {
    expect(() => withSection('<!-- begin: dev -->\n', section, 'x')).toThrow(/without "<!-- end: dev -->"/);
  });
});

describe('commandLine', () => {
  it('replaces paths outside the repository by variables', () => {
    const args = [
      'speed',
      '--skills',
      '/data/catalog',
      '--queries=/data/dev/queries.jsonl',
      '--work',
      '/tmp/x',
      '--write',
    ];
    expect(commandLine(args)).toBe(
      'npm run bench:speed -- --skills $CATALOG --queries $DATA/dev/queries.jsonl --write',
    );
    expect(commandLine(['lengths', '--index', '../index', '--dataset', '/data/dev'])).toBe(
      'npm run bench -- lengths --index $INDEX --dataset $DATA/dev',
    );
  });

  it('keeps values and paths inside the repository', () => {
    expect(commandLine(['--dataset', 'bench/datasets/several', '--queries', '10'])).toBe(
      'npm run bench -- --dataset bench/datasets/several --queries 10',
    );
    expect(commandLine([])).toBe('npm run bench');
  });
});
