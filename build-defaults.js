/** Values that the build computes with the program's own code. */

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
