/**
 * Writes an MCP bundle for hosts that install with one click: the manifest, the built program and its model.
 * `node release/bundle-mcpb.js [FILE]`; needs `npm run build` before.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { zip } from './zip.js';

const root = resolve(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const [target = join(root, `dist/skillgate-${version}.mcpb`)] = process.argv.slice(2);
if (!existsSync(join(root, 'dist/skillgate.cjs')))
  throw new Error('dist/ is missing. Run npm run build first.');

const below = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(d\.ts|mcpb)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
const named = (path, from = path) => ({
  path,
  bytes: readFileSync(join(root, from)),
  isExecutable: path === 'dist/skillgate.cjs',
});
const files = [
  named('manifest.json', 'release/manifest.json'),
  ...['LICENSE', 'package.json', ...below('dist').sort(), ...below('models/static').sort()].map((path) =>
    named(path),
  ),
];
writeFileSync(target, zip(files));
console.log(`${target}: ${files.length} files.`);
