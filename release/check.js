/**
 * Checks what a release consists of: the package as npm packs it, its types, its size, and whether all files name the version.
 * `npm run release:check` builds first. Exits with 1 and says what is wrong.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** Most bytes of the package on disk: with the folder that npm adds it stays below 25 MB. */
const MOST_BYTES = 20e6;
/** Not resolvable by design: the package is for ES modules, and its one entry needs a resolver that knows `exports`. */
const ACCEPTED = ['CJSResolvesToESM', 'NoResolution'];

const root = resolve(import.meta.dirname, '..');
const read = (path) => readFileSync(join(root, path), 'utf8');
const json = (path) => JSON.parse(read(path));
const problems = [];
const check = (holds, problem) => {
  if (!holds) problems.push(problem);
};

const manifest = json('package.json');
const { version } = manifest;

const server = json('server.json');
const versions = {
  'server.json': server.version,
  'server.json, packages': server.packages[0].version,
  'release/manifest.json': json('release/manifest.json').version,
  'plugin/.claude-plugin/plugin.json': json('plugin/.claude-plugin/plugin.json').version,
  'package-lock.json': json('package-lock.json').version,
};
for (const [file, found] of Object.entries(versions))
  check(found === version, `${file} has version ${found}, and package.json has ${version}. Make them equal.`);
check(
  server.name === manifest.mcpName,
  'server.json and mcpName in package.json must be equal: the registry compares them.',
);
check(
  new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\]`, 'm').test(read('CHANGELOG.md')),
  `CHANGELOG.md has no section [${version}]. Add it.`,
);
check(
  !/"resolved":/.test(read('package-lock.json')),
  'package-lock.json names addresses of a registry. Write it again with omit-lockfile-registry-resolved.',
);
check(
  manifest.dependencies === undefined,
  'package.json has dependencies: what is bundled belongs to devDependencies.',
);

const folder = mkdtempSync(join(tmpdir(), 'skillgate-release-'));
try {
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename, files, unpackedSize }] = JSON.parse(packed);
  const paths = files.map(({ path }) => path);
  check(unpackedSize <= MOST_BYTES, `The package has ${unpackedSize} bytes, more than ${MOST_BYTES}.`);
  for (const path of [
    'dist/skillgate.js',
    'dist/public.js',
    'models/static/config.json',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
  ])
    check(paths.includes(path), `The package lacks ${path}. Is it in "files"?`);
  check(
    paths.every((path) =>
      /^(dist|docs|models\/static|examples\/(agents|deploy|skills))\/|^[A-Z]+\.md$|^LICENSE$|^package\.json$/.test(
        path,
      ),
    ),
    'The package holds files that nothing needs.',
  );
  const tarball = readFileSync(join(folder, filename));
  const types = await checkPackage(createPackageFromTarballData(tarball));
  check(types.types !== false, 'The package has no types.');
  for (const { kind } of types.problems ?? [])
    check(ACCEPTED.includes(kind), `The types are wrong: ${kind}.`);
  const { messages } = await publint({ pkgDir: root, level: 'warning', strict: true });
  for (const message of messages) check(false, `publint: ${formatMessage(message, manifest)}`);
  console.log(
    `skillgate ${version}: ${files.length} files, ${(unpackedSize / 1e6).toFixed(1)} MB, ${(tarball.length / 1e6).toFixed(1)} MB packed.`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(`✗ ${problem}`);
console.log(problems.length === 0 ? 'Ready for release.' : `${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;
