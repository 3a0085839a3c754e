import { describe, expect, it } from 'vitest';
import { testLibrary } from './test-library.ts';

/** Lines 1–4 are front matter; lines that the tests name are numbered. */
const PDF = `---
name: pdf
description: Fill in forms
---

# Forms

Start here.

## Fields
List them.
\`\`\`sh
# no heading
\`\`\`
### Check boxes
Tick.
## Sign
Done.
`;
const loaded = (request: { section?: string; maxTokens?: number } = {}, text = PDF) =>
  testLibrary({
    'pdf/SKILL.md': text,
    'pdf/references/fields.md': '# Types\n',
    'pdf/scripts/fill.py': 'print(1)\n',
    'pdf/assets/form.pdf': '%PDF',
  }).gateway.load({ skill: 'pdf', ...request });

describe('loading a skill', () => {
  it('returns its instructions without front matter and blank ends, with the file’s line numbers', async () => {
    const { instructions } = await loaded();
    expect(instructions).toMatchObject({ lines: [6, 18], lineCount: 18, truncated: false });
    expect(instructions.text.split('\n')[0]).toBe('# Forms');
    expect(instructions.text).not.toContain('description:');
  });

  it('outlines its headings, but no text in code that looks like one', async () => {
    expect((await loaded()).outline).toEqual([
      { heading: 'Forms', level: 1, line: 6 },
      { heading: 'Fields', level: 2, line: 10 },
      { heading: 'Check boxes', level: 3, line: 15 },
      { heading: 'Sign', level: 2, line: 17 },
    ]);
  });

  it('lists its files with their kinds', async () => {
    const { files } = await loaded();
    expect(files.map(({ path, kind, size }) => [path, kind, size])).toEqual([
      ['SKILL.md', 'skill', Buffer.byteLength(PDF)],
      ['assets/form.pdf', 'asset', 4],
      ['references/fields.md', 'reference', 8],
      ['scripts/fill.py', 'script', 9],
    ]);
  });

  it.each(['Fields', '## fields', ' FIELDS ', 'Forms › Fields'])(
    'gives the section %j with the sections below it',
    async (section) => {
      expect((await loaded({ section })).instructions.lines).toEqual([10, 16]);
    },
  );

  it('lists the existing headings where a section does not exist', async () => {
    await expect(loaded({ section: 'Colours' })).rejects.toMatchObject({
      code: 'SECTION_UNKNOWN',
      data: { headings: ['Forms', 'Forms › Fields', 'Forms › Fields › Check boxes', 'Forms › Sign'] },
    });
  });

  it('cuts at the budget and returns the next line', async () => {
    const long = `${PDF}${'A line of forty characters, or nearly so.\n'.repeat(100)}`;
    const { instructions } = await loaded({ maxTokens: 100 }, long);
    expect(instructions).toMatchObject({ truncated: true, lineCount: 118 });
    expect(instructions.continueAt).toBe(instructions.lines[1] + 1);
  });

  it('counts lines as the passages do where they end with CR LF', async () => {
    const { instructions, outline } = await loaded({ section: 'Sign' }, PDF.replaceAll('\n', '\r\n'));
    expect(instructions).toMatchObject({ lines: [17, 18], text: '## Sign\nDone.' });
    expect(outline.at(-1)).toEqual({ heading: 'Sign', level: 2, line: 17 });
  });

  it('counts a lone CR as a character, as the sections do', async () => {
    const { instructions } = await loaded({ section: 'Sign' }, PDF.replace('Start here.', 'Start\rhere.'));
    expect(instructions).toMatchObject({ lines: [17, 18], text: '## Sign\nDone.' });
  });

  it('reads a large file once while it stays the same, and anew once it has changed', async () => {
    const large = (words: string) => `${PDF}## ${words}\n${'Sign here.\n'.repeat(7_000)}`;
    const first = await loaded({ maxTokens: 100 }, large('Send'));
    expect(first.outline.at(-1)).toEqual({ heading: 'Send', level: 2, line: 19 });
    expect((await loaded({ maxTokens: 100 }, large('Send'))).frontmatter).toBe(first.frontmatter);
    const changed = await loaded({ section: 'Print' }, large('Print'));
    expect(changed.outline.at(-1)?.heading).toBe('Print');
    expect(changed.instructions.text).toMatch(/^## Print\nSign here\./);
    expect((await loaded()).frontmatter).not.toBe((await loaded()).frontmatter);
  });

  it('of a file with front matter only returns an empty text', async () => {
    const { instructions, outline } = await loaded({}, '---\nname: pdf\ndescription: Forms\n---\n');
    expect(instructions).toMatchObject({ text: '', truncated: false });
    expect(outline).toEqual([]);
  });
});
