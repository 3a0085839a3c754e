import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedText } from '../../../extensions/authoring/fix.ts';
import { parseSkill } from '../../../src/skills/parse.ts';

const where = { path: 'SKILL.md', folder: 'ship' };
const bytes = (text: string) => new TextEncoder().encode(text);
const fix = (text: string) => fixedText(bytes(text), where);
const GOOD = '---\nname: ship\ndescription: Ship it. Use when asked.\n---\nShip.\n';

describe('fixes', () => {
  it.each([
    ['a byte-order mark', `\uFEFF${GOOD}`, ['encoding-bom']],
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

  it.each([
    ['text after |', '| Draws pipes: all of them.', 'yaml-block-text', "'Draws pipes: all of them.'"],
    ['text after >', '> Draws pipes.', 'yaml-block-text', "'Draws pipes.'"],
    ['a channel', 'Posts to #ops. Use daily.', 'yaml-comment', "'Posts to #ops. Use daily.'"],
    ['a mark', '!important Draws pipes.', 'yaml-quote', "'!important Draws pipes.'"],
  ])('a description with %s', (_, written, id, quoted) => {
    const found = fix(GOOD.replace('Ship it. Use when asked.', written));
    expect(found?.fixed).toContain(id);
    expect(found?.text).toContain(`description: ${quoted}\n`);
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

  it('lone carriage returns', () => {
    const text = `${GOOD}\nMore.\n`;
    expect(fix(text.replaceAll('\n', '\r'))).toEqual({ text, fixed: ['encoding-cr'] });
  });

  it('a missing name, of letters, digits and hyphens', () => {
    const text = GOOD.replace('name: ship\n', '');
    const found = fixedText(bytes(text), { path: 'SKILL.md', folder: 'ship-it-2' });
    expect(found?.text).toBe(GOOD.replace('ship', 'ship-it-2'));
  });

  const crlf = (text: string) => text.replaceAll('\n', '\r\n');

  it.each([
    ['line ends', crlf(GOOD.replace('---', '----')), crlf(GOOD)],
    ['line ends, with a name', crlf(GOOD.replace('name: ship\n', '')), crlf(GOOD)],
    [
      'line ends of a block that was not closed',
      crlf('---\nname: ship\ndescription: Ship it.\n# T\n'),
      crlf('---\nname: ship\ndescription: Ship it.\n---\n\n# T\n'),
    ],
    ['text after a fence', GOOD.replace('---\nShip', '---Ship'), GOOD.replace('---\nShip', '---\n\nShip')],
    [
      'a blank line after a fence',
      GOOD.replace('---\nShip', '----\n\nShip'),
      GOOD.replace('---\nShip', '---\n\nShip'),
    ],
    ['the end', '---\nname: ship\ndescription: Ship it.', '---\nname: ship\ndescription: Ship it.\n---\n'],
    [
      'a body without a last line end',
      'name: ship\ndescription: Ship it.\n---\n# Ship',
      '---\nname: ship\ndescription: Ship it.\n---\n# Ship',
    ],
    [
      'blank lines and comments, but not lines that were joined',
      '---\nname: ship\n\n# a\ndescription: Ship: it\n  now\n\n# b\nlicense: MIT\n---\nShip.\n',
      "---\nname: ship\n\n# a\ndescription: 'Ship: it now'\n\n# b\nlicense: MIT\n---\nShip.\n",
    ],
    [
      'blank lines in a value that was joined',
      '---\nname: ship\ndescription: Ship: it\n   \n  now\nlicense: MIT\n---\nShip.\n',
      "---\nname: ship\ndescription: 'Ship: it now'\n\nlicense: MIT\n---\nShip.\n",
    ],
    [
      'keys after a list of tools',
      GOOD.replace('---\nShip', 'allowed-tools:\n- Read\n- Write\nlicense: MIT\n---\nShip'),
      GOOD.replace('---\nShip', 'allowed-tools: Read Write\nlicense: MIT\n---\nShip'),
    ],
    [
      'spaces in the text of tabs',
      GOOD.replace('---\nShip', 'metadata:\n\ta: b\tc\n---\nShip'),
      GOOD.replace('---\nShip', 'metadata:\n  a: b\tc\n---\nShip'),
    ],
  ])('keep %s', (_, text, fixed) => {
    expect(fix(text)?.text).toBe(fixed);
  });

  it('several faults at once, and name each once', () => {
    const found = fix(
      '\uFEFF\n---\ndescription: Ship: it.\nlicense: a: b\nallowed-tools: [a, b]\n----\nShip',
    );
    expect(found?.text).toBe(
      "---\nname: ship\ndescription: 'Ship: it.'\nlicense: 'a: b'\nallowed-tools: a b\n---\n\nShip",
    );
    expect(found?.fixed).toEqual([
      ...['encoding-bom', 'frontmatter-leading-blank', 'frontmatter-fence'],
      ...['yaml-colon', 'name-missing', 'allowed-tools-type'],
    ]);
  });

  it('what can be fixed, where something else cannot', () => {
    const found = fix(GOOD.replace('---', '----').replace('ship', 'Ship It'));
    expect(found).toEqual({ text: GOOD.replace('ship', 'Ship It'), fixed: ['frontmatter-fence'] });
  });

  it('no name where the folder has none that the rules allow', () => {
    const text = GOOD.replace('name: ship\n', '');
    expect(fixedText(bytes(text), { path: 'SKILL.md', folder: 'Ship It' })).toBeNull();
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
    ['a blank name', GOOD.replace('name: ship', 'name: ""')],
    ['a repeated key', GOOD.replace('name: ship', 'name: ship\nname: boat')],
    ['front matter in a code block', `\`\`\`\n${GOOD}\`\`\`\n`],
    ['an empty list of tools', GOOD.replace('---\nShip', 'allowed-tools: []\n---\nShip')],
    ['front matter that cannot be read', '---\n{{ page }}: [\nname: ship\n----\nShip.\n'],
    ['UTF-16', `\0${[...GOOD].join('\0')}`],
    ['a NUL byte below an odd fence', GOOD.replace('---', '----').replace('Ship.', 'Ship\0.')],
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
