/**
 * A Markdown file as a tree of elements, each with its lines. The page makes elements of it, so that nothing that a skill
 * says is ever read as HTML: raw HTML stays text, pictures of the web are their descriptions, links lead to web pages or to other files
 * of the skill.
 */

import MarkdownIt, { type Token } from 'markdown-it';
import { splitFrontMatter } from '../../src/skills/front-matter.ts';
import type { RichText } from './api.ts';

const markdown = new MarkdownIt({ html: false });

type Tree = RichText[];
type Lines = readonly [from: number, to: number];

/** `path` is the file's own; `files` are those of its skill, to which links may lead. */
export function rendered(text: string, path: string, files: ReadonlySet<string>): RichText[] {
  const { body, bodyLine } = splitFrontMatter(text, path);
  const head = text.slice(0, text.length - body.length).trimEnd();
  const front: RichText[] =
    head === '' ? [] : [{ tag: 'details', lines: [1, bodyLine - 1], children: [head] }];
  return [...front, ...buildTree(markdown.parse(body, {}), bodyLine, linksFrom(path, files))];
}

function buildTree(tokens: readonly Token[], firstLine: number, linkOf: LinkOf): RichText[] {
  const root: Tree = [];
  // Below the page's own heading, and without a gap, as screen readers want it.
  let level = 1;
  const open: Tree[] = [root];
  for (const token of tokens) {
    const here = open.at(-1)!;
    const lines: Lines | undefined =
      token.map === null ? undefined : [firstLine + token.map[0], firstLine + token.map[1] - 1];
    if (token.nesting === 1) {
      const children: Tree = [];
      let { tag } = token;
      if (/^h\d$/.test(tag)) {
        level = Math.min(Number(tag.slice(1)) + 1, level + 1, 6);
        tag = `h${level}`;
      }
      // A paragraph of a tight list has no element of its own.
      if (token.hidden) tag = 'span';
      const target = tag === 'a' ? linkOf(String(token.attrGet('href'))) : {};
      here.push({ tag, ...target, ...(HOLDS_TEXT.has(tag) && { lines }), children });
      open.push(children);
    } else if (token.nesting === -1) open.pop();
    else if (token.type === 'inline') here.push(...buildTree(token.children ?? [], firstLine, linkOf));
    else if (token.type === 'image') {
      const { file } = linkOf(String(token.attrGet('src')));
      here.push(
        file === undefined
          ? { tag: 'em', children: [`[${token.content}]`] }
          : { tag: 'img', file, children: [token.content] },
      );
    } else if (token.type === 'softbreak') here.push('\n');
    else if (token.tag === '') here.push(token.content);
    else {
      const isCode = token.tag === 'code' && token.block;
      // Those of its content, without the fences.
      const own =
        lines !== undefined && token.type === 'fence' ? ([lines[0] + 1, lines[1] - 1] as const) : lines;
      const content = isCode ? token.content.replace(/\n$/, '') : token.content;
      here.push({ tag: isCode ? 'pre' : token.tag, lines: own, children: content === '' ? [] : [content] });
    }
  }
  return root;
}

/** Elements whose lines are theirs alone, and not those of elements inside of them. */
const HOLDS_TEXT: ReadonlySet<string> = new Set(['p', 'span', 'h2', 'h3', 'h4', 'h5', 'h6', 'tr']);

type LinkOf = (target: string) => Pick<Exclude<RichText, string>, 'href' | 'file'>;

function linksFrom(path: string, files: ReadonlySet<string>): LinkOf {
  return (target) => {
    if (/^(?:https?:\/\/|mailto:)/i.test(target)) return { href: target };
    try {
      const { protocol, pathname } = new URL(target, `skill:///${encodeURI(path)}`);
      const file = decodeURIComponent(pathname).replace(/^\/+/, '');
      return protocol === 'skill:' && files.has(file) && file !== path ? { file } : {};
    } catch {
      return {};
    }
  };
}
