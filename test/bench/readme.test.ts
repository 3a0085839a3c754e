import { describe, expect, it } from 'vitest';
import { withFigures } from '../../bench/readme.ts';

const page =
  '# Page\n\n<!-- figures: dev -->\nold\n<!-- end of figures -->\n\n<!-- figures: speed -->\n<!-- end of figures -->\n';

describe('withFigures', () => {
  it('replaces the figures of one name and nothing else', () => {
    const once = withFigures(page, 'dev', 'a  1\nb  2\n');
    expect(once).toBe(page.replace('old\n', '\n```text\na  1\nb  2\n```\n\n'));
    expect(withFigures(once, 'dev', 'a  1\nb  2\n')).toBe(once);
    expect(withFigures(page, 'speed', 'x')).toContain('old');
  });

  it('refuses figures that the page has no place for', () => {
    expect(() => withFigures(page, 'other', 'x')).toThrow(/no place for figures of other/);
  });
});
