/** read_reference, called by a real client on both eras. */

import { describe, expect, it } from 'vitest';
import { fakeGateway, SKILLS } from '../fake-gateway.ts';
import { callTool, ERAS, textOf } from '../harness.ts';

describe.each(ERAS)('read_reference on %s', (era) => {
  const read = (args: Record<string, unknown>) => {
    const fields = { skill: 'pdf-forms', path: 'references/fields.md' };
    return callTool(era, fakeGateway(SKILLS), 'read_reference', { ...fields, ...args });
  };

  it.each(['10-12', [10, 12], '[10, 12]', 'L10-L12'])('reads lines %j', async (lines) => {
    const { structuredContent, content } = await read({ lines });
    expect(structuredContent).toEqual({
      kind: 'text',
      path: 'references/fields.md',
      mime_type: 'text/markdown',
      text: 'Line 10 on fields\nLine 11 on fields\nLine 12 on fields',
      lines: [10, 12],
      line_count: 100,
      truncated: false,
    });
    expect(content).toEqual([
      { type: 'text', text: 'references/fields.md (text/markdown), lines 10-12 of 100.\n\n' },
      { type: 'text', text: 'Line 10 on fields\nLine 11 on fields\nLine 12 on fields' },
    ]);
  });

  it('reads one line, from a line to the end, and the whole file by default', async () => {
    expect((await read({ lines: 7 })).structuredContent).toMatchObject({ lines: [7, 7] });
    expect((await read({ lines: '98-' })).structuredContent).toMatchObject({ lines: [98, 100] });
    expect((await read({ lines: null, heading: '' })).structuredContent).toMatchObject({ lines: [1, 100] });
  });

  it('cuts at max_tokens and returns the call that reads on', async () => {
    const result = await read({ max_tokens: 100 });
    // Lines 1–9: ⌈16 / 4⌉ + 1 = 5; from line 10: ⌈17 / 4⌉ + 1 = 6. 9 × 5 + 9 × 6 = 99: lines 1–18.
    expect(result.structuredContent).toMatchObject({
      truncated: true,
      lines: [1, 18],
      continue_with: { arguments: { skill: 'pdf-forms', path: 'references/fields.md', lines: '19-100' } },
    });
    expect(textOf(result)).toContain('lines="19-100").');
  });

  it('returns an image as an image', async () => {
    const { structuredContent, content } = await read({ path: 'assets/logo.png' });
    expect(structuredContent).toEqual({ kind: 'image', path: 'assets/logo.png', mime_type: 'image/png' });
    expect(content).toEqual([
      { type: 'text', text: 'assets/logo.png (image/png)' },
      { type: 'image', data: btoa('PNG'), mimeType: 'image/png' },
    ]);
  });

  it.each(['ten', '1-2-3', -4, '1.5'])('refuses lines %j and explains the format', async (lines) => {
    const result = await read({ lines });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('lines: must be "A-B", "A-" or "A", counted from 1');
  });
});
