/** Figures in `bench/README.md` are never typed: a run with `--write-readme` puts its output between two marks. */

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const README = fileURLToPath(new URL('README.md', import.meta.url));

/** Throws where the README has no place for figures of that name. */
export async function writeFigures(name: string, figures: string): Promise<void> {
  await writeFile(README, withFigures(await readFile(README, 'utf8'), name, figures));
}

/** `readme` with the text between `<!-- figures: name -->` and `<!-- end of figures -->` replaced. */
export function withFigures(readme: string, name: string, figures: string): string {
  const begin = `<!-- figures: ${name} -->\n`;
  const end = '<!-- end of figures -->';
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end, from);
  if (from === -1 || to === -1)
    throw new Error(`bench/README.md has no place for figures of ${name}: add ${begin.trim()} and ${end}.`);
  return `${readme.slice(0, from + begin.length)}\n\`\`\`text\n${figures.trimEnd()}\n\`\`\`\n\n${readme.slice(to)}`;
}
