/** Links and anchors of a Markdown file, as a Markdown parser sees them: links in code are text. */

import MarkdownIt from 'markdown-it';
import { decoded } from '../skills/decoded.ts';

interface Link {
  /** As a path: percent-encoding resolved, without the anchor; '' for a link within the file. */
  readonly path: string;
  /** Without `#`; '' if there is none. */
  readonly anchor: string;
  /** As written. */
  readonly target: string;
  /** Line of the text, 1-based. */
  readonly line: number;
}

const markdown = new MarkdownIt({ html: true });
/** A link to elsewhere: a scheme, `//host`, a page of a site (`/docs`). */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/)/i;
/** A target that its reader fills in: `{name}.md`, `<path>`, `$FILE`, `…`. */
const PLACEHOLDER = /[{}<>$*…]|\.\.\.|^(?:url|link|path|file|image|source|target)$/i;

/** Links to other files and to headings, in order. Links to elsewhere and placeholders are left out. */
export function linksOf(text: string): Link[] {
  if (!text.includes('](') && !/^\s{0,3}\[[^\]]+\]:/m.test(text)) return [];
  const lines = text.split('\n');
  return markdown.parse(text, {}).flatMap((token) => {
    if (token.type !== 'inline' || token.map === null) return [];
    const [from, to] = token.map;
    return (token.children ?? []).flatMap((child) => {
      const href = child.attrGet(child.type === 'image' ? 'src' : 'href');
      if ((child.type !== 'link_open' && child.type !== 'image') || href === null) return [];
      const target = decoded(String(href));
      if (target === '' || ELSEWHERE.test(target) || PLACEHOLDER.test(target)) return [];
      const at = target.indexOf('#');
      const path = (at === -1 ? target : target.slice(0, at)).replace(/\?.*$/, '');
      const own = lines.slice(from, to).findIndex((line) => line.includes(`](${target}`));
      return [
        { path, anchor: at === -1 ? '' : target.slice(at + 1), target, line: from + 1 + Math.max(0, own) },
      ];
    });
  });
}

/** What `#anchor` may name: headings as code hosts derive it, and ids in HTML. Lower case. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const tokens = markdown.parse(text, {});
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const content = (tokens[at + 1]?.children ?? [])
      .map((child) => (child.type === 'text' || child.type === 'code_inline' ? child.content : ''))
      .join('');
    const slug = content
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
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
