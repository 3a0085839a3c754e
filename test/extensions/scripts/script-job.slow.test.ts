import { describe, expect, it } from 'vitest';
import { scriptNamed } from '../../../extensions/scripts/script-job.ts';

const paths = [
  'SKILL.md',
  'run.sh',
  'scripts/fill.py',
  'scripts/a/make.sh',
  'scripts/b/make.sh',
  'references/x.md',
];
const named = (asked: string) => scriptNamed(asked, { id: 's' }, paths);

describe('scriptNamed', () => {
  it.each([
    ['scripts/fill.py', 'scripts/fill.py'],
    ['./scripts/fill.py', 'scripts/fill.py'],
    ['fill.py', 'scripts/fill.py'],
    ['fill', 'scripts/fill.py'],
    ['a/make.sh', 'scripts/a/make.sh'],
  ])('finds %s', (asked, path) => {
    expect(named(asked)).toBe(path);
  });

  it.each(['make.sh', 'run.sh', 'SKILL.md', '../scripts/fill.py', '/etc/passwd', 'scripts/../SKILL.md', ''])(
    'refuses %j: several, elsewhere, or nothing',
    (asked) => {
      expect(() => named(asked)).toThrow('Its scripts are "scripts/fill.py"');
    },
  );

  it('reports a skill without scripts', () => {
    expect(() => scriptNamed('x', { id: 's' }, ['SKILL.md'])).toThrow('no file below scripts/');
  });
});
