/** Arguments in instructions, by position and by declared name. */

import { describe, expect, it } from 'vitest';
import { withArguments } from '../../../src/mcp/skill-arguments.ts';

const filled = (text: string, given?: string, names: unknown = undefined) => {
  const instructions = { text, lines: [1, 1] as const, lineCount: 1, truncated: false };
  return withArguments({ instructions, frontmatter: { arguments: names } }, given).instructions.text;
};

describe('withArguments', () => {
  it.each([
    ['Do $ARGUMENTS.', 'a "b c"', 'Do a "b c".'],
    ['$1 then $2', 'a "b c"', 'a then b c'],
    ['$1 then $3.', "a 'b c'", 'a then .'],
    ['$0 then $1', 'a b', 'a then b'],
    ['$ARGUMENTS[0] then $ARGUMENTS[1]', 'a b', 'a then b'],
    ['$12 and $1x and $USER', 'a', ' and $1x and $USER'],
    ['$1', '$2 $1', '$2'],
    ['say "$1"', '"say \\"hi\\""', 'say "say "hi""'],
  ])('%s with %s is %s', (text, given, expected) => {
    expect(filled(text, given)).toBe(expected);
  });

  it('gives declared names their values in order', () => {
    expect(filled('Fix $issue on $branch, not $issues.', '12 main', 'issue branch')).toBe(
      'Fix 12 on main, not $issues.',
    );
  });

  it('leaves the text alone without arguments', () => {
    for (const given of [undefined, '', '  '])
      expect(filled("awk '{print $1}' $ARGUMENTS", given)).toContain('$1');
  });
});
