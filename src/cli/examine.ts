/** The checks of `skillgate doctor`, each of which looks at one thing and changes nothing. */

import { readFileSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { diskDirectory, IndexError, Reader } from '#index';
import { openEmbedder } from '../embed/open.ts';
import { FORWARDER } from '../sandbox/gate.ts';
import { INSTALL_FORWARDER } from '../sandbox/open.ts';
import { packageRoot } from './package-root.ts';
import { sandboxHere } from './scripts.ts';
import type { Settings, Surroundings } from './settings.ts';

export interface Check {
  /** Stable, for programs. */
  readonly name: 'node' | 'packages' | 'model' | 'index' | 'disk' | 'sandbox' | 'scripts';
  /** `note`: worth knowing, nothing fails for it. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly message: string;
  readonly details?: readonly string[];
}

/** package.json, engines. */
const LEAST_NODE = [20, 19] as const;
const OPTIONAL = {
  'hnswlib-node': 'graphs over large catalogs',
  '@huggingface/transformers': 'other models',
};
/** An index of 25,000 skills takes about half of it; below it, writing may fail at any time. */
const LEAST_FREE_BYTES = 256 * 2 ** 20;
/** The shipped model's vectors differ by rounding alone from those that were written down with it. */
const TOLERANCE = 1e-3;
/** What scripts are mostly written in. */
const INTERPRETERS = ['python3', 'node', 'bash', 'deno', 'ruby', 'perl'];

export async function examine(settings: Settings, around: Surroundings): Promise<readonly Check[]> {
  return [
    node(process.versions.node),
    packages(),
    await model(settings),
    await index(settings),
    disk(settings.indexFolder),
    ...(await sandbox(settings, around)),
  ];
}

function node(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  return fits
    ? { name: 'node', state: 'ok', message: `Node.js ${version}.` }
    : {
        name: 'node',
        state: 'problem',
        message: `Node.js ${version} is too old: ${LEAST_NODE.join('.')} or newer is needed.`,
      };
}

function packages(): Check {
  const { resolve } = createRequire(import.meta.url);
  const details = Object.entries(OPTIONAL).map(([name, use]) => {
    try {
      resolve(name);
      return `${name} is installed (${use}).`;
    } catch {
      return `${name} is not installed: without it there are no ${use}.`;
    }
  });
  const missing = details.filter((line) => line.includes('is not installed')).length;
  return {
    name: 'packages',
    state: missing === 0 ? 'ok' : 'note',
    message: `${details.length - missing} of ${details.length} optional packages are installed.`,
    details,
  };
}

const fixturesSchema = z.array(z.object({ text: z.string(), head: z.array(z.number()) }));

/** The shipped model is asked what it must answer; of others, that they open. */
async function model({ embedder: setting, cacheFolder }: Settings): Promise<Check> {
  const modelsFolder = join(packageRoot(), 'models');
  try {
    const embedder = await openEmbedder(setting, { modelsFolder, cacheFolder });
    if (setting !== undefined) return { name: 'model', state: 'ok', message: `${embedder.id} opens.` };
    const fixtures = fixturesSchema.parse(
      JSON.parse(readFileSync(join(modelsFolder, 'static', 'fixtures.json'), 'utf8')),
    );
    const vectors = await embedder.embedPassages(fixtures.map(({ text }) => text));
    const wrong = fixtures.filter(({ head }, row) =>
      head.some((value, at) => Math.abs((vectors[row * embedder.dimensions + at] ?? 0) - value) > TOLERANCE),
    );
    return wrong.length === 0
      ? {
          name: 'model',
          state: 'ok',
          message: `${embedder.id} gives the vectors that it must (${fixtures.length} texts).`,
        }
      : {
          name: 'model',
          state: 'problem',
          message: `The shipped model gives other vectors than it must for ${wrong.length} of ${fixtures.length} texts: install skillgate again.`,
        };
  } catch (error) {
    return { name: 'model', state: 'problem', message: `The model cannot be opened: ${reasonOf(error)}` };
  }
}

async function index({ indexFolder, embedder: setting, cacheFolder }: Settings): Promise<Check> {
  const name = 'index';
  try {
    const embedder = await openEmbedder(setting, {
      modelsFolder: join(packageRoot(), 'models'),
      cacheFolder,
    });
    const reader = Reader.open(diskDirectory(indexFolder), { embedder, vectors: 'exact' });
    if (reader === null)
      return {
        name,
        state: 'note',
        message: `There is none yet in ${indexFolder}: the first search makes it.`,
      };
    try {
      await reader.openVectors();
      return { name, state: 'ok', message: `${reader.documents} skills in ${indexFolder}.` };
    } finally {
      reader.close();
    }
  } catch (error) {
    const mended = error instanceof IndexError ? ' The next search makes it again.' : '';
    return { name, state: 'note', message: `${reasonOf(error)}${mended}` };
  }
}

function disk(folder: string): Check {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const { bavail, bsize } = statfsSync(at);
      const free = bavail * bsize;
      const message = `${Math.round(free / 2 ** 20)} MiB are free where the index lies (${at}).`;
      return free >= LEAST_FREE_BYTES
        ? { name: 'disk', state: 'ok', message }
        : { name: 'disk', state: 'problem', message: `${message} Make room: writing the index may fail.` };
    } catch (error) {
      // It may not be there yet; its parent is.
      if (dirname(at) === at)
        return { name: 'disk', state: 'problem', message: `${folder} cannot be reached: ${reasonOf(error)}` };
    }
  }
}

async function sandbox({ config: { scripts } }: Settings, around: Surroundings): Promise<Check[]> {
  const box = sandboxHere(around);
  const { layer, holds, problems } = await box.standing();
  const needed = scripts.enabled;
  const checks: Check[] = [
    layer === null
      ? {
          name: 'sandbox',
          state: needed ? 'problem' : 'note',
          message: `Scripts cannot be run here. ${problems.join(' ')}`,
        }
      : { name: 'sandbox', state: 'ok', message: `${layer} holds.`, details: holds },
  ];
  if (!needed)
    return [...checks, { name: 'scripts', state: 'ok', message: 'Running scripts is switched off.' }];
  const found = INTERPRETERS.filter((program) => box.programPath(program) !== null);
  const nobody = scripts.sources.length === 0 || scripts.skills.length === 0;
  const lacking = scripts.domains.length > 0 && box.programPath(FORWARDER) === null;
  const faults = [
    nobody ? 'scripts.sources and scripts.skills allow no skill.' : '',
    lacking ? `scripts.domains cannot be reached: ${INSTALL_FORWARDER}` : '',
  ].filter(Boolean);
  return [
    ...checks,
    {
      name: 'scripts',
      state: lacking ? 'problem' : nobody ? 'note' : 'ok',
      message: ['Running scripts is switched on.', ...faults].join(' '),
      details: [`Interpreters that a sandbox shows: ${found.join(', ') || 'none'}.`],
    },
  ];
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
