/**
 * The checks of `skillgate doctor`. Each checks one thing and changes no settings. Servers of connected hosts are started
 * (`checks.ts`), and may begin to build their index.
 */

import { readFileSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { IndexError } from '../../index/errors.ts';
import { Reader } from '../../index/reader/reader.ts';
import { whyNoHnsw } from '../../index/vectors/hnsw.ts';
import { cacheContents } from '../../src/app/clean-cache.ts';
import type { ProcessEnvironment } from '../../src/app/configured.ts';
import type { Check, Settings } from '../../src/app/extension-api.ts';
import { checksOfExtensions } from '../../src/app/load-extensions.ts';
import { modelsFolder, openModel } from '../../src/app/model.ts';
import { missingFolders } from '../../src/app/source-settings.ts';
import { errorMessage } from '../../src/base/errors.ts';
import { counted } from '../../src/base/text.ts';
import { indexDirectory } from '../../src/catalog/index-directory.ts';
import { whyNotWritable } from '../../src/catalog/writable-index.ts';
import { whyNoModels } from '../../src/search/embedding/open.ts';
import { checkToolsOfSkills } from '../remote-sources/uncovered-tools.ts';
import { check, examineHosts } from './checks.ts';
import { examineSkills } from './examine-skills.ts';
import { toSystem } from './locations.ts';

/** As package.json says in `engines`. */
const MINIMUM_NODE = [20, 19] as const;
/** Twice the size of an index of 25,000 skills; with less, writing may fail at any time. */
const MINIMUM_FREE_BYTES = 256 * 2 ** 20;
/** The vectors of the shipped model differ from its fixtures only by rounding. */
const TOLERANCE = 1e-3;

export async function examine(
  settings: Settings,
  environment: ProcessEnvironment,
  progress: (message: string) => void,
): Promise<readonly Check[]> {
  return [
    node(process.versions.node),
    await packages(settings),
    await model(settings),
    await index(settings),
    ...folders(settings),
    await examineSkills(settings, environment),
    ...settings.notices.map((message) => check('trust', 'note', message)),
    disk(settings.indexFolder),
    cache(settings.cacheFolder),
    ...(await checksOfExtensions(settings, environment)),
    ...(await checkToolsOfSkills(settings)),
    ...(await examineHosts(environment, toSystem(environment), progress)),
  ];
}

function cache(folder: string): Check {
  const size = `${(cacheContents(folder).bytes / 1e6).toFixed(1)} MB`;
  return { name: 'cache', state: 'ok', message: `${folder}: ${size}. skillgate cache lists what it holds.` };
}

function node(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1]))
    return check('node', 'ok', `Node.js ${version}.`);
  const message = `Node.js ${version} is too old: ${MINIMUM_NODE.join('.')} or newer is needed.`;
  return check('node', 'problem', message);
}

/** npm leaves out, without a word, an optional package that it cannot install; one that is there may not load. */
async function packages({ vectors }: Settings): Promise<Check> {
  const optional = [
    { name: 'hnswlib-node', use: 'graphs over large catalogs', reason: await whyNoHnsw() },
    { name: '@huggingface/transformers', use: 'other models', reason: await whyNoModels() },
  ];
  const details = optional.map(({ name, use, reason }) => reason ?? `${name} loads (${use}).`);
  const missing = optional.flatMap(({ name, reason }) => (reason === null ? [] : name));
  if (missing.length === 0) return check('packages', 'ok', 'Optional packages load.', ...details);
  const isNeeded = vectors === 'hnsw' && missing[0] === 'hnswlib-node';
  return check(
    'packages',
    isNeeded ? 'problem' : 'note',
    `Not installed: ${missing.join(', ')}.`,
    ...details,
  );
}

const fixturesSchema = z.array(z.object({ text: z.string(), head: z.array(z.number()) }));

/** Compares the vectors of the shipped model with its fixtures; checks only that other models open. */
async function model(settings: Settings): Promise<Check> {
  try {
    const embedder = await openModel(settings);
    if (settings.embedder !== undefined) return check('model', 'ok', `${embedder.id} opens.`);
    const fixtures = fixturesSchema.parse(
      JSON.parse(readFileSync(join(modelsFolder(), 'static', 'fixtures.json'), 'utf8')),
    );
    const vectors = await embedder.embedPassages(fixtures.map(({ text }) => text));
    const wrong = fixtures.filter(({ head }, row) =>
      head.some((value, at) => Math.abs((vectors[row * embedder.dimensions + at] ?? 0) - value) > TOLERANCE),
    );
    const texts = `${fixtures.length} texts`;
    if (wrong.length === 0)
      return check('model', 'ok', `${embedder.id} gives the expected vectors (${texts}).`);
    const message = `The shipped model gives wrong vectors for ${wrong.length} of ${texts}: install skillgate again.`;
    return check('model', 'problem', message);
  } catch (error) {
    return check('model', 'problem', `The model cannot be opened: ${errorMessage(error)}`);
  }
}

async function index(settings: Settings): Promise<Check> {
  const { indexFolder, vectors } = settings;
  const reason = whyNotWritable(indexFolder);
  if (reason !== null)
    return check(
      'index',
      'problem',
      `The folder ${indexFolder} cannot be written (${reason}): small catalogs are indexed in memory at each start. Make it writable, or name another with --index.`,
    );
  try {
    const embedder = await openModel(settings);
    const reader = Reader.open(indexDirectory(indexFolder), { embedder, vectors });
    if (reader === null)
      return check('index', 'note', `There is no index in ${indexFolder} yet: the first search builds it.`);
    try {
      const { fallback } = await reader.openVectors();
      const message = `${counted(reader.documents, 'skill')} in ${indexFolder}.`;
      if (fallback === null) return check('index', 'ok', message);
      const hint = (await whyNoHnsw()) === null ? ' Run skillgate index, which builds it again.' : '';
      const state = vectors === 'hnsw' || hint !== '' ? 'problem' : 'note';
      return check('index', state, `${message} ${fallback}${hint}`);
    } finally {
      reader.close();
    }
  } catch (error) {
    const hint = error instanceof IndexError ? ' The next search rebuilds it.' : '';
    return check('index', 'note', `${errorMessage(error)}${hint}`);
  }
}

function folders(settings: Settings): Check[] {
  const missing = missingFolders(settings);
  if (missing.length === 0) return [];
  return [check('folders', 'note', missing.join(' '), 'Create the folder, or name another.')];
}

function disk(folder: string): Check {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const { bavail, bsize } = statfsSync(at);
      const free = bavail * bsize;
      const message = `${Math.round(free / 2 ** 20)} MiB are free in ${at}, on the disk of the index.`;
      if (free >= MINIMUM_FREE_BYTES) return check('disk', 'ok', message);
      return check('disk', 'problem', `${message} Make room: writing the index may fail.`);
    } catch (error) {
      // The folder may not exist yet; a parent does.
      if (dirname(at) === at)
        return check('disk', 'problem', `${folder} cannot be reached: ${errorMessage(error)}`);
    }
  }
}
