import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedText } from '../../../src/skills/fix.ts';
import { parseSkill } from '../../../src/skills/parse.ts';

const where = { path: 'SKILL.md', folder: 'ship' };
const bytes = (text: string) => new TextEncoder().encode(text);
const fix = (text: string) => fixedText(bytes(text), where);
const GOOD = '---\nname: ship\ndescription: Ship it. Use when asked.\n---\nShip.\n';

describe('fixes', () => {
  it.each([
    ['a byte-order mark', `\uFEFF${GOOD}`, ['encoding-bom']],
    ['lone carriage returns', GOOD.replaceAll('\n', '\r'), ['encoding-cr']],
    ['blank lines above the front matter', `\n\n${GOOD}`, ['frontmatter-leading-blank']],
    ['an odd fence', GOOD.replace('---\n', '-----\n'), ['frontmatter-fence']],
    ['a missing opening fence', GOOD.replace('---\n', ''), ['frontmatter-unopened']],
    ['a missing name', GOOD.replace('name: ship\n', ''), ['name-missing']],
  ])('%s', (_, text, ids) => {
    expect(fix(text)).toEqual({ text: GOOD, fixed: ids });
  });

  it('a value that YAML needs quoted, and its quotes', () => {
    const found = fix("---\nname: ship\ndescription: Ship it: now, it's time\n---\nShip.\n");
    expect(found?.fixed).toEqual(['yaml-colon']);
    expect(found?.text).toBe("---\nname: ship\ndescription: 'Ship it: now, it''s time'\n---\nShip.\n");
  });

  it('an unclosed front matter, without joining it to the body', () => {
    const found = fix('---\nname: ship\ndescription: Ship it.\n\n# Ship\n\nGo.\n');
    expect(found?.fixed).toEqual(['frontmatter-unclosed']);
    expect(parseSkill(bytes(found?.text ?? ''), where)).toMatchObject({
      description: 'Ship it.',
      body: expect.stringMatching(/^\n*# Ship\n\nGo\.\n$/),
      diagnostics: [],
    });
  });

  it.each([
    ['a list', 'allowed-tools:\n  - Read\n  - Bash(git:*)\n'],
    ['a flow list', 'allowed-tools: [Read, "Bash(git:*)"]\n'],
    ['commas', 'allowed-tools: Read, Bash(git:*)\n'],
  ])('tools in %s', (_, tools) => {
    const found = fix(GOOD.replace('---\nShip', `${tools}---\nShip`));
    expect(found).toMatchObject({
      text: expect.stringContaining('\nallowed-tools: Read Bash(git:*)\n'),
      fixed: ['allowed-tools-type'],
    });
  });

  it('keep line ends, comments and the order of keys', () => {
    const text =
      '\r\n---\r\n# of ours\r\ndescription: Ship it. Use when asked.\r\nname: ship\r\n---\r\nShip.\r\n';
    expect(fix(text)?.text).toBe(text.slice(2));
  });

  it.each([
    ['nothing to fix', GOOD],
    ['a choice to make', GOOD.replace('name: ship', 'name: Ship It!')],
    ['text above the front matter', `Read this first.\n\n${GOOD}`],
    ['front matter of another language', GOOD.replace('---\n', '---js\n')],
    ['an empty file', ''],
    ['bytes that are no text', '---\nname: ship\u0000\n---\n'],
  ])('nothing where there is %s', (_, text) => {
    expect(fix(text)).toBeNull();
  });

  it('never lose a letter, change the meaning or add a fault, whatever the file holds', () => {
    const folder = join(import.meta.dirname, '../../fixtures/skills/broken');
    const samples = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /skill\.md$/i.test(path))
      .map((path) => readFileSync(join(folder, path), 'utf8'));
    expect(samples.length).toBeGreaterThan(30);
    const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '');
    const check = (text: string) => {
      const found = fix(text);
      if (found === null) return;
      const [before, after] = [parseSkill(bytes(text), where), parseSkill(bytes(found.text), where)];
      expect([letters(found.text), letters(found.text).replace('nameship', '')]).toContain(letters(text));
      expect([after.name, after.description]).toEqual([before.name, before.description]);
      const ids = before.diagnostics.map(({ id }) => id);
      for (const { id } of after.diagnostics) expect(ids).toContain(id);
      expect(after.diagnostics.length).toBeLessThan(before.diagnostics.length);
    };
    for (const sample of samples) check(sample);
    const line = fc.constantFrom(
      '---',
      '----',
      '--- ',
      'name: ship',
      'description: a: b',
      '\tx: 1',
      '# T',
      '',
      'text',
    );
    fc.assert(fc.property(fc.array(line, { maxLength: 9 }), (lines) => check(lines.join('\n'))));
  });
});

describe('a skill file without text', () => {
  it.each([
    ['skill-empty', ''],
    ['skill-empty', ' \n\n'],
    ['skill-binary', '\u0000\u0001\u0002\u0003PNG\u0000\u0000'],
  ])('is an error: %s', (id, text) => {
    const found = parseSkill(bytes(text), where).diagnostics.find((each) => each.id === id);
    expect(found?.severity).toBe('error');
  });

  it('is none where single characters are odd', () => {
    const ids = parseSkill(bytes(`${GOOD}\u0000`), where).diagnostics.map(({ id }) => id);
    expect(ids).not.toContain('skill-binary');
  });
});
