/**
 * Links and anchors of a Markdown file, as a Markdown parser sees them, and files that its text names: `references/rates.md`. Blocks
 * of code are examples, and links in code are text.
 */

import MarkdownIt from 'markdown-it';
import { decoded, positionAt } from '../../src/base/text.ts';
import { fileExtension, isKnownText } from '../../src/skills/files.ts';
import { headingAnchor } from '../../src/skills/sections.ts';

export interface Link {
  /** Whether the text only names the file. */
  readonly isMention: boolean;
  /** As a path: percent-encoding resolved, without the anchor; '' for a link within the file. */
  readonly path: string;
  /** Without `#`; '' if there is none. */
  readonly anchor: string;
  /** As written. */
  readonly target: string;
  /** The whole line, and the place of the target in the text, 1-based. */
  readonly line: string;
  readonly position: { readonly line: number; readonly column: number };
}

const markdown = new MarkdownIt({ html: true });
/** A link to elsewhere: a scheme, `//host`, a page of a site (`/docs`), a home folder. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|[/~])/i;
/** A target that its reader fills in: `{name}.md`, `<path>`, `$FILE`, `path/to/your/file`, `…`. */
const PLACEHOLDER =
  /[{}<>$*…[\]|]|\.\.\.|^(?:url|link|path|file|image|source|target)$|(?:^|[/_-])(?:path[/_-]to|your|my|example|foo|bar|baz|name|topic|file\d?|xx+|yyyy)(?=$|[/._-])/i;
const HTML_TARGET = /\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;
/** A path with a folder and an extension, in text or alone in backticks. */
const MENTION =
  /(?<![\w./\\:@~$%{}<>*#-])(?:\.\/)?(?:[\w-]+\/)+[\w.-]*\w\.[a-z][a-z0-9]{0,4}(?![\w/\\*{}<>$(-]|[.:]\w)/gi;

/** In order. Links to elsewhere and placeholders are left out. */
export function findLinks(text: string): Link[] {
  const found: Link[] = [];
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  let [from, to] = [0, 0];
  const add = (href: string, isMention = false) => {
    const target = decoded(href);
    if (target === '' || ELSEWHERE.test(target) || PLACEHOLDER.test(target)) return;
    const own = [target, href].map((each) => text.indexOf(each, from)).find((at) => at !== -1 && at < to);
    // The target of a reference link is written elsewhere.
    const at = own ?? Math.max(text.indexOf(target), 0);
    if (own !== undefined) from = own + target.length;
    const hash = target.indexOf('#');
    found.push({
      isMention,
      path: (hash === -1 ? target : target.slice(0, hash)).replace(/\?.*$/, ''),
      anchor: hash === -1 ? '' : target.slice(hash + 1),
      target,
      line: text.slice(text.lastIndexOf('\n', at) + 1).split('\n', 1)[0]!,
      position: positionAt(text, at),
    });
  };
  const addHtml = (html: string) => {
    for (const [, double, single] of html.matchAll(HTML_TARGET)) add(double ?? single ?? '');
  };
  for (const { type, map, content, children } of markdown.parse(text, {})) {
    // Cells of tables have no lines of their own.
    if (map !== null) [from, to] = [Math.max(from, starts[map[0]] ?? 0), starts[map[1]] ?? text.length];
    if (type === 'html_block') addHtml(content);
    let isLinked = false;
    for (const child of children ?? []) {
      if (child.type === 'link_open') add(String(child.attrGet('href') ?? ''));
      else if (child.type === 'image') add(String(child.attrGet('src') ?? ''));
      else if (child.type === 'html_inline') addHtml(child.content);
      else if (!isLinked && (child.type === 'text' || child.type === 'code_inline'))
        for (const [path] of child.content.matchAll(MENTION))
          if (isKnownText(fileExtension(path))) add(path, true);
      if (child.type === 'link_open' || child.type === 'link_close') isLinked = child.type === 'link_open';
    }
  }
  return found;
}

/** What `#anchor` may name: headings as code hosts derive it, and ids in HTML. Lower case. */
export function findAnchors(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const tokens = markdown.parse(text, {});
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const content = (tokens[at + 1]?.children ?? [])
      .map((child) => (child.type === 'text' || child.type === 'code_inline' ? child.content : ''))
      .join('');
    const slug = headingAnchor(content);
    let unique = slug;
    for (let again = 1; anchors.has(unique); again += 1) unique = `${slug}-${again}`;
    anchors.add(unique);
    // An explicit id: `## Heading {#id}`.
    const explicit = /\{#([\w-]+)\}\s*$/.exec(content)?.[1];
    if (explicit !== undefined) anchors.add(explicit.toLowerCase());
  }
  for (const [, id = ''] of text.matchAll(/\b(?:id|name)\s*=\s*["']([^"']{1,200})["']/gi))
    anchors.add(id.toLowerCase());
  return anchors;
}
