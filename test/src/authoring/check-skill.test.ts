import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkSkill } from '../../../src/authoring/check-skill.ts';
import { readDocument } from '../../../src/search/passages/document.ts';
import { localSource } from '../../../src/sources/local.ts';
import { readCatalog } from '../../../src/sources/scan/catalog.ts';

let folder: string | undefined;
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

const FRONT =
  '---\nname: ship\ndescription: Ship packages to the warehouse. Use when an order is paid.\n---\n';

/** What the check finds in a skill `ship` with these files: ids with their paths and lines. */
async function found(files: Readonly<Record<string, string>>): Promise<string[]> {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-authoring-'));
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, 'ship', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const [skillFolder] = (await readCatalog([localSource({ name: 'local', root: folder })])).folders;
  const { skill } = readDocument(skillFolder!);
  return checkSkill(skillFolder!, skill!).map(
    ({ id, path, position }) => `${id} ${path}${position === undefined ? '' : `:${position.line}`}`,
  );
}

const body = (text: string, more: Readonly<Record<string, string>> = {}) =>
  found({ 'SKILL.md': FRONT + text, ...more });

describe('links', () => {
  it('to files and folders of the skill are fine, from its root or from the file', async () => {
    expect(
      await body('[a](references/a.md), [all](./references/), [space](references/b%20c.md), ![i](i.png)', {
        'references/a.md': 'See [b](b%20c.md) and [again](references/b%20c.md), [up](../SKILL.md).',
        'references/b c.md': 'text',
        'i.png': '',
      }),
    ).toEqual([]);
  });

  it('that lead nowhere are reported with their line', async () => {
    expect(await body('One.\n\nTwo [gone](references/gone.md)\nand ![i](no.png).')).toEqual([
      'link-dead SKILL.md:7',
      'link-dead SKILL.md:8',
    ]);
  });

  it('to elsewhere, in code and with placeholders are none of ours', async () => {
    expect(
      await body(
        '[w](https://example.com/a.md) [m](mailto:a@example.com) [s](/docs) `[c](gone.md)` [p]({name}.md)',
      ),
    ).toEqual([]);
    expect(await body('```\n[c](gone.md)\n```\n')).toEqual([]);
  });

  it('out of the skill are reported, even if something is there', async () => {
    expect(await body('[o](../other/SKILL.md)')).toEqual(['link-leaves SKILL.md:5']);
  });

  it('to headings need the heading, as code hosts derive it', async () => {
    const headings = '# Big *Plan* (v2)\n\n## Same\n\n## Same\n\n<a id="Here"></a>\n';
    const good = '[1](#big-plan-v2) [2](#same-1) [3](#here) [4](SKILL.md#same)\n\n';
    expect(await body(good + headings)).toEqual([]);
    expect(await body(`[no](#same-2)\n\n${headings}`)).toEqual(['link-anchor SKILL.md:5']);
  });
});

describe('files', () => {
  it('that nothing mentions are reported; a mention by path, name or folder is enough', async () => {
    const files = {
      'references/rates.md': 'x',
      'references/unread.md': 'x',
      'scripts/pack.py': '#',
      'README.md': 'x',
    };
    expect(await body('Read `rates.md`, then run `pack.py`.', files)).toEqual([
      'file-unmentioned references/unread.md',
    ]);
    expect(await body('All of `references/` and `scripts/`.', files)).toEqual([]);
  });
});

describe('descriptions', () => {
  const described = (text: string) =>
    found({ 'SKILL.md': `---\nname: ship\ndescription: ${text}\n---\nShip.\n` });

  it.each([
    'Handles data.',
    'Various utilities.',
    'A helpful skill for various tasks.',
    'Helps you to work better with things.',
    'Use when the user asks for it.',
  ])('that fit any request are vague: %s', async (text) => {
    expect(await described(text)).toEqual(['description-vague SKILL.md:1']);
  });

  it.each([
    'Use when working with docker compose.',
    'Use when working with glab api commands.',
    'Handles invoices of suppliers.',
    'Web-camera support.',
    'Nützliche Hilfe.',
    '各种实用工具',
  ])('that name a subject are not vague, however short: %s', async (text) => {
    expect(await described(text)).not.toContain('description-vague SKILL.md:1');
  });

  it('need to say when to use the skill', async () => {
    expect(await described('Renders invoices from the order database as PDF files.')).toEqual([
      'when-missing SKILL.md:1',
    ]);
    expect(await described('Renders invoices from the order database. Use when a customer asks.')).toEqual(
      [],
    );
  });

  it('in other languages are not judged', async () => {
    expect(await described('Erstellt Rechnungen aus Bestellungen.')).toEqual([]);
    expect(await described('请求发票时使用')).toEqual([]);
  });
});

describe('allowed tools', () => {
  const tools = (names: string) =>
    found({ 'SKILL.md': `${FRONT.replace('\n---\n', `\nallowed-tools: ${names}\n---\n`)}Ship.\n` });

  it('of hosts and of MCP servers are known', async () => {
    expect(await tools('Read Bash(git:*) mcp__github__create_issue run_shell_command')).toEqual([]);
  });

  it('that no host has are reported, with the tool that was probably meant', async () => {
    expect(await tools('Read Bsh Frobnicate')).toEqual([
      'tool-unlisted SKILL.md:1',
      'tool-unlisted SKILL.md:1',
    ]);
  });
});
