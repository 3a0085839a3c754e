/** Arguments in instructions, by position and by declared name. */

import { describe, expect, it } from 'vitest';
import { withArguments } from '../../../src/mcp/skill-arguments.ts';

const filled = (text: string, given?: string, frontmatter: Record<string, unknown> = {}) => {
  const instructions = { text, lines: [1, 1] as const, lineCount: 1, truncated: false };
  return withArguments({ instructions, frontmatter }, given).instructions.text;
};
const HINTED = { 'argument-hint': '<first> [second]' };

describe('withArguments', () => {
  it.each([
    ['Do $ARGUMENTS.', 'a "b c"', 'Do a "b c".'],
    ['$ARGUMENTS[0] then $ARGUMENTS[1]', 'a b', 'a then b'],
    ['$ARGUMENTS[9] and $USER', 'a', '$ARGUMENTS[9] and $USER'],
    ['\\$ARGUMENTS is $ARGUMENTS', 'a', '$ARGUMENTS is a'],
    ['It costs $1 or $2.', 'a b', 'It costs $1 or $2.'],
  ])('of any skill: %s with %s is %s', (text, given, expected) => {
    expect(filled(text, given)).toBe(expected);
  });

  it.each([
    ['$1 then $2', 'a "b c"', 'a then b c'],
    ['$1 then $2.', 'a', 'a then $2.'],
    ['$0 then $1', 'a b', 'a then b'],
    ['$3 and $12 and $1x', 'a b c', '$3 and $12 and $1x'],
    ['$1', '$2 $1', '$2'],
    ['say "$1"', '"say \\"hi\\""', 'say "say "hi""'],
    ['\\$1 is $1', 'a', '$1 is a'],
    ['`gh issue view $1`', '12', '`gh issue view 12`'],
  ])('of one that says which it takes: %s with %s is %s', (text, given, expected) => {
    expect(filled(text, given, HINTED)).toBe(expected);
  });

  it.each([
    'Grants: $1,000 and $2.5K and $1K and US$2 and $1–30 and $2/month and ~$1 per call.',
    'Cells: =$B$2*(1+$C$1)',
    "```awk\nawk '{print $1, $2}' f | sed 's/^\\(.*\\)$1/x/'\n```",
    '~~~sh\necho "$1"\n~~~',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expansion of the shell.
    "`awk '{print $1}' f` and `perl -pe 's/(a)/$1/'` and `echo ${1:-x}` and `^\\d+$1`",
  ])('leaves prices, cells and programs alone: %s', (text) => {
    expect(filled(text, 'Berlin 2026', HINTED)).toBe(text);
  });

  it('gives declared names their values in order, and leaves those without a value', () => {
    const declared = { arguments: 'issue branch reviewer' };
    expect(filled('Fix $issue on $branch for $reviewer, not $issues.', '12 main', declared)).toBe(
      'Fix 12 on main for $reviewer, not $issues.',
    );
  });

  it('leaves the text alone without arguments', () => {
    for (const given of [undefined, '', '  '])
      expect(filled("awk '{print $1}' $ARGUMENTS \\$1", given, HINTED)).toBe(
        "awk '{print $1}' $ARGUMENTS \\$1",
      );
  });
});
