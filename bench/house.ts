/** `npx tsx bench/house.ts`: the figures of the code's shape, which ARCHITECTURE and the architecture test speak of. */

import { parseSync } from 'oxc-parser';
import {
  circles,
  coreFilesPerExtension,
  countLines,
  importsIn,
  readSource,
  servedByDefault,
  sourceFiles,
} from '../test/imports.ts';

/** Lines of the longest function that reads well. */
const LONG = 50;

interface Node {
  readonly type?: string;
  readonly start?: number;
  readonly end?: number;
}

/** Functions of a file with more than `LONG` lines. */
function longFunctions(file: string): number {
  const source = readSource(file);
  let count = 0;
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type = '', start = 0, end = 0 } = value as Node;
    if (/^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(type))
      count += Number(source.slice(start, end).split('\n').length > LONG);
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseSync(file, source).program);
  return count;
}

const core = sourceFiles('bin/*.ts', 'src/**/*.ts', 'index/**/*.ts');
const product = [...core, ...sourceFiles('extensions/**/*.ts', 'page/**/*.{ts,tsx}')];
const imports = product.flatMap((file) => importsIn(file, readSource(file)));
const perExtension = coreFilesPerExtension(imports);
const names = product.flatMap((file) => readSource(file).match(/\b(?:function|const) [a-z]\w*Of\b/g) ?? []);
console.table({
  'lines: bin, src, index': countLines(core),
  'lines: all product code': countLines(product),
  'lines: default serve': servedByDefault(imports).lines,
  'lines: tests': countLines(sourceFiles('test/**/*.ts')),
  circles: circles(imports.filter(({ isLazy }) => !isLazy)).length,
  'core files that extensions import': new Set([...perExtension.values()].flatMap((files) => [...files]))
    .size,
  [`functions over ${LONG} lines`]: product.reduce((sum, file) => sum + longFunctions(file), 0),
  'names in …Of': names.length,
});
