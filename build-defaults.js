/** Values that the build computes with the program's own code. */

import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The main file of jsonc-parser is UMD, whose inner imports no bundler sees. */
export const ALIASES = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };

/** The value of a module's export, computed by the program's own code. */
async function evaluated(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: '.' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    alias: ALIASES,
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}

/** The defaults as they are, without the schema that says them. */
export const withDefaults = {
  name: 'with-defaults',
  setup(build) {
    build.onLoad({ filter: /[\\/]app[\\/]config[\\/]defaults\.ts$/ }, async () => {
      const { DEFAULTS } = await evaluated(`export { DEFAULTS } from './src/app/config/defaults.ts';`);
      return { contents: `export const DEFAULTS = ${JSON.stringify(DEFAULTS)};` };
    });
  },
};

/**
 * The table of eld with the scores of these languages alone, each set of scores once: 5 MB of memory in place of 46. Scores
 * are sums by language, so the others change nothing.
 */
export function reduceTable({ ngrams, languages, ...rest }, kept) {
  const ids = Object.keys(languages).filter((id) => kept.includes(languages[id]));
  const keys = new Map();
  for (const [key, scores] of Object.entries(ngrams)) {
    const json = JSON.stringify(Object.fromEntries(ids.map((id, at) => [at, scores[id]])));
    if (json !== '{}')
      keys
        .set(json, keys.get(json) ?? [])
        .get(json)
        .push(key);
  }
  const table = { ...rest, languages: ids.map((id) => languages[id]) };
  const groups = [...keys].map(([scores, group]) => [JSON.parse(scores), group]);
  return `const ngrams = {};
for (const [scores, keys] of JSON.parse(${JSON.stringify(JSON.stringify(groups))}))
  for (const key of keys) ngrams[key] = scores;
export const ngramsData = { ...${JSON.stringify(table)}, ngrams };`;
}

export const withLatinLanguages = {
  name: 'with-latin-languages',
  setup(build) {
    build.onLoad({ filter: /[\\/]eld[\\/]src[\\/]ngrams[\\/]small\.js$/ }, async ({ path }) => {
      const { ngramsData } = await import(pathToFileURL(path).href);
      const file = './index/lexical/language/detect.ts';
      const { LATIN_LANGUAGES } = await evaluated(`export { LATIN_LANGUAGES } from '${file}';`);
      return { contents: reduceTable(ngramsData, LATIN_LANGUAGES) };
    });
  },
};
