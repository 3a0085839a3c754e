/**
 * Learns which words are names of products: `tsx bench/product-names.ts --index DIR --out src/search/product-names.json`.
 *
 * A product's name is written with a capital within a sentence, by most authors, and skills are named after it. Acronyms
 * are left out: API and AWS look alike. Skills of one repository count once for a word, identical ones once at all.
 */

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { termsOf } from '../index/lexical/analysis/analyzer.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { entryAt } from '../src/search/search.ts';
import { openIndex } from './open-index.ts';

/** Least number of repositories that write the word with a capital. */
const REPOSITORIES = 3;
/** Least share of the skills with the word that write it so within a sentence. */
const CAPITALISED = 0.6;
/** Text that is no sentence: code, links, headings, bold labels. */
const NO_SENTENCE = /```[\s\S]*?(?:```|$)|`[^`\n]*`|https?:\/\/\S+|^#.*$|\*\*[^*\n]+\*\*|\[[^\]\n]*\]/gm;
/** A word after another one or a comma. */
const WITHIN = /(?<=[a-z,;] )[A-Za-z][A-Za-z0-9]{2,}(?![A-Za-z0-9])/g;
const ACRONYM = /^[A-Z0-9]+s?$/;

const { values } = parseArgs({ options: { index: { type: 'string' }, out: { type: 'string' } } });
if (values.index === undefined || values.out === undefined)
  throw new Error('Give --index DIR and --out FILE.');

const embedder = await openEmbedder(undefined, { modelsFolder: 'models' });
const reader = openIndex(values.index, embedder);
const written = new Map<string, { capitals: number; all: number; repositories: Set<string> }>();
const named = new Set<string>();
const seen = new Set<string>();
for (const ordinal of reader.ordinalsByKey()) {
  const { id, name, digest } = entryAt(reader, ordinal);
  for (const term of termsOf(name)) named.add(term);
  if (seen.has(digest)) continue;
  seen.add(digest);
  const [repository = ''] = id.split('/');
  const words = new Set<string>();
  for (const { kind, text } of passagesOf(ordinal))
    if (kind === 'card' || kind === 'body')
      for (const [word] of text.replaceAll(NO_SENTENCE, ' ').matchAll(WITHIN)) words.add(word);
  for (const word of words) {
    const [term, ...parts] = termsOf(word);
    if (term === undefined || parts.length > 0) continue;
    const counted = written.get(term) ?? { capitals: 0, all: 0, repositories: new Set() };
    counted.all += 1;
    if (/[A-Z]/.test(word) && !ACRONYM.test(word)) {
      counted.capitals += 1;
      counted.repositories.add(repository);
    }
    written.set(term, counted);
  }
}
const names = [...written]
  .filter(
    ([term, { capitals, all, repositories }]) =>
      named.has(term) && repositories.size >= REPOSITORIES && capitals >= CAPITALISED * all,
  )
  .map(([term]) => term)
  .sort();
writeFileSync(values.out, `${JSON.stringify(names)}\n`);
console.log(`${names.length} names`);
reader.close();

function* passagesOf(ordinal: number) {
  const count = reader.passages.kinds(ordinal).length;
  for (let at = 0; at < count; at += 1) yield reader.passages.get(ordinal, at);
}
