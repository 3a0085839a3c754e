/**
 * What a release must fulfil: the package as npm packs it, its types, its size, and that all files name the version.
 * `check.js` prints the problems; the tests plant them.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** Most bytes of the package on disk: with the folder that npm adds it stays below 25 MB. */
const MAX_BYTES = 20e6;
/** Not resolvable by design: the package is for ES modules, and its one entry needs a resolver that knows `exports`. */
const ACCEPTED = ['CJSResolvesToESM', 'NoResolution'];
const NEEDED = [
  'dist/skillgate.cjs',
  'dist/public.js',
  'models/static/model.safetensors',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
];
const PACKED =
  /^(dist|docs|models\/static|examples\/(agents|deploy|skills|team))\/|^[A-Z]+\.md$|^LICENSE$|^package\.json$/;

/**
 * Problems of a release, one sentence each; `summary` describes the package. `root`: folder of the repository, built.
 * `mostBytes`: another limit of size. The package is left in the folder `kept`, if it is given.
 */
export async function problemsOf(root, { mostBytes = MAX_BYTES, kept } = {}) {
  const metadata = metadataProblems(root);
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'skillgate-release-'));
  try {
    const { manifest, packed, tarball } = pack(root, folder);
    const problems = [
      ...metadata,
      ...contentProblems(packed, mostBytes),
      ...(await typeProblems(tarball)),
      ...(await publintProblems(root, manifest)),
    ];
    const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
    const summary = `${manifest.name} ${manifest.version}: ${packed.files.length} files, ${megabytes(packed.unpackedSize)}, ${megabytes(tarball.length)} packed.`;
    return { problems, summary };
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** What the files say about the version, and what must not be in them. */
export function metadataProblems(root) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const json = (path) => JSON.parse(read(path));
  const manifest = json('package.json');
  const { version } = manifest;
  const server = json('server.json');
  const versions = {
    'server.json': server.version,
    'server.json, packages': server.packages[0].version,
    'release/manifest.json': json('release/manifest.json').version,
    'plugin/.claude-plugin/plugin.json': json('plugin/.claude-plugin/plugin.json').version,
    'plugin/plugin.json': json('plugin/plugin.json').version,
    'package-lock.json': json('package-lock.json').version,
  };
  const problems = Object.entries(versions)
    .filter(([, found]) => found !== version)
    .map(
      ([file, found]) => `${file} has version ${found}, and package.json has ${version}. Make them equal.`,
    );
  const check = (holds, problem) => {
    if (!holds) problems.push(problem);
  };
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
  return problems;
}

function pack(root, folder) {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  return {
    manifest: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
    packed,
    tarball: readFileSync(join(folder, packed.filename)),
  };
}

function contentProblems({ files, unpackedSize }, mostBytes) {
  const paths = files.map(({ path }) => path);
  const needless = paths.filter((path) => !PACKED.test(path));
  return [
    ...(unpackedSize > mostBytes ? [`The package has ${unpackedSize} bytes, more than ${mostBytes}.`] : []),
    ...NEEDED.filter((path) => !paths.includes(path)).map(
      (path) => `The package lacks ${path}. Is it in "files"?`,
    ),
    ...(needless.length > 0
      ? [`The package holds files that nothing needs: ${needless.slice(0, 5).join(', ')}.`]
      : []),
  ];
}

async function typeProblems(tarball) {
  const { types, problems = [] } = await checkPackage(createPackageFromTarballData(tarball));
  if (types === false) return ['The package has no types.'];
  return problems
    .filter(({ kind }) => !ACCEPTED.includes(kind))
    .map(({ kind }) => `The types are wrong: ${kind}.`);
}

async function publintProblems(root, manifest) {
  const { messages } = await publint({ pkgDir: root, level: 'warning', strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, manifest)}`);
}
