/** What a file of a skill is for, told from its path alone, and its media type. */

import { Mime } from 'mime';
import otherTypes from 'mime/types/other.js';
import standardTypes from 'mime/types/standard.js';
import type { FileKind } from './skill.ts';

/** Prose that is read as a reference wherever it lies, but in `assets/`. */
const DOCUMENTS = new Set('md mdx markdown mdown txt text rst adoc asciidoc org tex'.split(' '));
/** Documents by their ending that say nothing of use: texts of licences, lists of packages. */
const NOT_DOCUMENTS = /^(?:licen[cs]e|copying|notice|requirements)\b/;
/** Data and markup that count as references below `references/` alone. */
const DATA = new Set(
  'json jsonl json5 yaml yml toml ini cfg conf env csv tsv xml html htm css scss svg sql graphql gql proto log diff patch tf hcl tmpl tpl j2 ipynb'.split(
    ' ',
  ),
);
/** Languages that are run from their source. */
const SCRIPTS = new Set(
  'py pyw sh bash zsh fish ksh js mjs cjs jsx ts mts cts tsx rb pl pm php ps1 psm1 bat cmd lua r jl awk sed tcl groovy exs'.split(
    ' ',
  ),
);
/** Languages that are compiled first: scripts below `scripts/` alone. */
const SOURCES = new Set(
  'c h cc cpp hpp cs go rs java kt kts scala swift dart ex erl hs clj ml vue svelte'.split(' '),
);

/** `mime` lacks these, or knows them as something else (`.ts` as video). */
const OWN_TYPES = {
  'text/typescript': ['ts', 'mts', 'cts', 'tsx'],
  'text/x-python': ['py', 'pyw'],
  'text/x-ruby': ['rb'],
  'text/x-go': ['go'],
  'text/x-rust': ['rs'],
  'text/markdown': ['md', 'markdown', 'mdown', 'mdx'],
};

/** Made with the first file that is looked at: a server that answers from its index may never need it. */
let types: Mime | undefined;

/** `path` is relative to the skill's folder, with `/`. */
export function fileKind(path: string): FileKind {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  if (lower === 'skill.md') return 'skill';
  const extension = extensionOf(name);
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

/** `text/plain` for text that has no type of its own, `application/octet-stream` for what is not known. */
export function mimeTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  types ??= new Mime(standardTypes, otherTypes).define(OWN_TYPES, true);
  const known = types.getType(name);
  if (known !== null) return known;
  const extension = extensionOf(name);
  return extension === '' || isKnownText(extension) ? 'text/plain' : 'application/octet-stream';
}

/** True for Markdown, which is cut by its headings; other text is cut by paragraphs. */
export function isMarkdown(path: string): boolean {
  return mimeTypeOf(path) === 'text/markdown';
}

function isKnownText(extension: string): boolean {
  return [DOCUMENTS, DATA, SCRIPTS, SOURCES].some((known) => known.has(extension));
}

/** Lower case, without the dot; '' for `LICENSE`, `.gitignore` and the like. */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1);
}
