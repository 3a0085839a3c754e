/** Promises of the Markdown files: every link and anchor resolves, every named path exists, and pages stay short to read. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import markdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { HOSTS } from '../extensions/connect/hosts.ts';
import { DIAGNOSTICS } from '../src/skills/diagnostics.ts';

const root = resolve(import.meta.dirname, '..');
const parser = markdownIt({ html: true });

/** Tracked Markdown files, without the fixtures, which are broken on purpose. */
const files = execFileSync('git', ['ls-files', '-z', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '' && !path.startsWith('test/fixtures/') && existsSync(join(root, path)));

/** The pages that this project is read by; skills and data sets have a style of their own. */
const pages = files.filter((path) =>
  /^(?:[A-Z]+\.md|docs\/|examples\/(?:deploy\/)?README|models\/)/.test(path),
);

/** Characters: five lines of 120. */
const MAX_PARAGRAPH = 600;

const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

/** The file's tokens, those of running text included; front matter is left out. */
function tokensOf(path: string) {
  const tokens = parser.parse(textOf(path).replace(/^---\n.*?\n---\n/s, ''), {});
  return tokens.flatMap((token) => [token, ...(token.children ?? [])]);
}

/** Anchors as GitHub makes them from headings: lower case, no punctuation, hyphens for spaces, numbers for repeats. */
function anchorsOf(path: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const tokens = parser.parse(textOf(path), {});
  tokens.forEach((token, at) => {
    if (token.type !== 'heading_open') return;
    const title = (tokens[at + 1]?.children ?? [])
      .filter(({ type }) => type === 'text' || type === 'code_inline')
      .map(({ content }) => content)
      .join('');
    const slug = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  });
  return anchors;
}

/** Links and images of the file that lead to files, and why each that does not resolve is wrong. */
function brokenLinksOf(path: string): readonly string[] {
  return tokensOf(path).flatMap((token) => {
    const href = token.attrGet('href') ?? token.attrGet('src');
    if (typeof href !== 'string' || /^[a-z][a-z+.-]*:/i.test(href)) return [];
    const [file = '', anchor] = decodeURIComponent(href).split('#');
    const target = file === '' ? path : relative(root, resolve(root, dirname(path), file));
    if (target.startsWith('..') || !existsSync(join(root, target))) return [`${href}: no such file`];
    if (anchor === undefined) return [];
    return target.endsWith('.md') && anchorsOf(target).has(anchor) ? [] : [`${href}: no such heading`];
  });
}

describe('Markdown', () => {
  it('is there to check', () => {
    expect(files.length).toBeGreaterThan(80);
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'SECURITY.md', 'docs/README.md']));
  });

  it('has no broken link', () => {
    const broken = files.flatMap((path) => brokenLinksOf(path).map((reason) => `${path}: ${reason}`));
    expect(broken).toEqual([]);
  });

  it.each(pages)('%s names only files that exist', (path) => {
    const named = tokensOf(path)
      .filter(({ type }) => type === 'code_inline')
      .map(({ content }) => content)
      .filter((text) => /^(?:bench|docs|examples|index|models|src|test)\/[\w./-]+$/.test(text));
    expect(
      named.filter((text) => !existsSync(join(root, text)) && !text.startsWith('bench/results')),
    ).toEqual([]);
  });

  it.each(pages)('%s has paragraphs of at most five lines', (path) => {
    const tokens = parser.parse(textOf(path), {});
    const long = tokens.flatMap(({ type, content, map }, at) =>
      type === 'inline' && tokens[at - 1]?.type === 'paragraph_open' && content.length > MAX_PARAGRAPH
        ? [`line ${(map?.[0] ?? 0) + 1}: ${content.length} characters`]
        : [],
    );
    expect(long).toEqual([]);
  });

  it('README.md begins with the commands that .ci/fresh runs on a machine without a compiler', () => {
    const commands = [...textOf('README.md').matchAll(/^```sh\n(.*?)```$/gms)].map(([, text]) =>
      text?.trim(),
    );
    const ran = [...textOf('.ci/fresh').matchAll(/^fresh '(.*?)'/gm)].map(([, command]) => command);
    expect(commands.slice(0, 2)).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
    expect(ran).toEqual(commands.slice(0, 2));
  });

  it('README.md counts the hosts that connect knows', () => {
    expect(textOf('README.md')).toContain(`[${HOSTS.length} hosts](docs/hosts.md)`);
  });

  it('README.md takes at most 6.5 KB', () => {
    expect(statSync(join(root, 'README.md')).size).toBeLessThanOrEqual(6.5 * 1024);
  });

  it('README.md leads to every page of docs, and so does their index', () => {
    const own = files.filter((path) => /^docs\/[^/]+\.md$/.test(path) && path !== 'docs/README.md');
    expect(own.length).toBeGreaterThanOrEqual(9);
    for (const path of own) {
      expect(textOf('README.md')).toContain(`(${path})`);
      expect(textOf('docs/README.md')).toContain(`(${path.slice('docs/'.length)})`);
    }
  });
});

it('docs/diagnostics.md has every diagnostic with its severity and meaning', () => {
  const rows = [
    ...textOf('docs/diagnostics.md').matchAll(/^- <a id="(.*?)"><\/a>`(.*?)` \((\w+)\): (.*)$/gm),
  ];
  expect(rows.map(([, ...cells]) => cells)).toEqual(
    Object.entries(DIAGNOSTICS).map(([id, { severity, meaning }]) => [id, id, severity, meaning]),
  );
});

describe('SECURITY.md', () => {
  const promises = /^## Promises.*?(?=^## Not promised)/ms.exec(textOf('SECURITY.md'))?.[0] ?? '';
  /** Items of lists and paragraphs, each one promise. */
  const each = promises.split(/\n(?=- )|\n\n/).filter((text) => /\w/.test(text) && !/^#+ /.test(text.trim()));
  /** `test/x.test.ts` or a folder of tests, and behind a file the title of one of its tests: › title. */
  const named = [...promises.matchAll(/`(test\/[\w./-]+)(?: › ([^`]+))?`/g)].map(([, path = '', title]) => ({
    path,
    title: title?.replace(/\s+/g, ' '),
  }));

  it('names a test for each promise', () => {
    expect(each.length).toBeGreaterThan(40);
    expect(each.filter((text) => !text.includes('`test/'))).toEqual([]);
  });

  it('names tests that exist', () => {
    const missing = named.filter(({ path, title }) => {
      const at = join(root, path);
      if (!existsSync(at)) return true;
      if (statSync(at).isDirectory())
        return !readdirSync(at, { recursive: true, encoding: 'utf8' }).some((name) =>
          name.endsWith('.test.ts'),
        );
      const text = textOf(path);
      return title === undefined
        ? !/\b(?:it|describe\w*)(?:\.\w+)*\(/.test(text)
        : !text.includes(`'${title}'`);
    });
    expect(missing).toEqual([]);
    expect(named.filter(({ title }) => title !== undefined).length).toBeGreaterThan(9);
  });
});
