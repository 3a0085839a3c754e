/** The kind of a skill's file, from its path alone. */

import type { FileKind } from './skill.ts';

/** Extensions of prose: references wherever they are, except in `assets/`. */
const DOCUMENTS = new Set('md mdx markdown mdown txt text rst adoc asciidoc org tex'.split(' '));
/** Names of documents that do not help a search: licences, package lists. */
const NOT_DOCUMENTS = /^(?:licen[cs]e|copying|notice|requirements)\b/;
/** Extensions of data and markup: references below `references/` only. */
const DATA = new Set(
  'json jsonl json5 yaml yml toml ini cfg conf env csv tsv xml html htm css scss svg sql graphql gql proto log diff patch tf hcl tmpl tpl j2 ipynb'.split(
    ' ',
  ),
);
/** Languages that run from source. */
const SCRIPTS = new Set(
  'py pyw sh bash zsh fish ksh js mjs cjs jsx ts mts cts tsx rb pl pm php ps1 psm1 bat cmd lua r jl awk sed tcl groovy exs'.split(
    ' ',
  ),
);
/** Languages that are compiled first: scripts below `scripts/` only. */
const SOURCES = new Set(
  'c h cc cpp hpp cs go rs java kt kts scala swift dart ex erl hs clj ml vue svelte'.split(' '),
);

/** Extensions of Markdown, lower case, without the dot. */
export const MARKDOWN: readonly string[] = ['md', 'markdown', 'mdown', 'mdx'];

/** `path` is relative to the skill's folder, with `/`. */
export function fileKind(path: string): FileKind {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  if (lower === 'skill.md') return 'skill';
  const extension = fileExtension(name);
  const top = lower.slice(0, Math.max(0, lower.indexOf('/')));
  if (top === 'assets') return 'asset';
  if (top === 'references' || top === 'reference') {
    return extension === '' || isKnownText(extension) ? 'reference' : 'asset';
  }
  if (NOT_DOCUMENTS.test(name)) return 'asset';
  if (DOCUMENTS.has(extension)) return 'reference';
  if (SCRIPTS.has(extension)) return 'script';
  const inScripts = top === 'scripts' || top === 'bin';
  return inScripts && (extension === '' || SOURCES.has(extension) || extension === 'sql')
    ? 'script'
    : 'asset';
}

/** True for Markdown, which is split by headings; other text is split by paragraphs. */
export function isMarkdown(path: string): boolean {
  return MARKDOWN.includes(fileExtension(path));
}

/** Whether files with that extension (lower case, without the dot) are text. */
export function isKnownText(extension: string): boolean {
  return [DOCUMENTS, DATA, SCRIPTS, SOURCES].some((known) => known.has(extension));
}

/** Lower case, without the dot; '' for `LICENSE`, `.gitignore` and the like. */
export function fileExtension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1);
}
