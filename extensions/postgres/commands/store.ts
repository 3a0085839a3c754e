/** `skillgate store`: makes, shows, fills, empties and cleans up the store that several gateways share. */

import { processEnvironment } from '../../../src/app/configured.ts';
import type { CommonOptions } from '../../../src/app/extension-api.ts';
import { counted } from '../../../src/base/text.ts';
import { CliError } from '../../../src/cli/exit-codes.ts';
import { colours, print, printReport, say } from '../../../src/cli/output.ts';
import { trustedSettings } from '../../../src/cli/trusting.ts';
import { collectStore, copyIn, copyOut, copyStatus, initStore, storeStatus } from '../gateway/manage.ts';
import { FOLLOWED, publishPolicy, readSharedAudit } from '../gateway/shared-state.ts';

interface InitOptions extends CommonOptions {
  readonly reader?: string;
  readonly writer?: string;
  readonly admin?: string;
}

export async function init(options: InitOptions): Promise<void> {
  const { reader, writer, admin } = options;
  const names = [reader, writer, admin];
  if (names.includes(undefined) && names.some((name) => name !== undefined))
    throw new CliError('USAGE', 'Give --reader, --writer and --admin together, or none of them.');
  const roles =
    reader === undefined || writer === undefined || admin === undefined ? null : { reader, writer, admin };
  const steps = await initStore(await settingsWithStore(options), processEnvironment(), roles);
  if (options.json === true) printReport({ steps, roles });
  else if (steps.length === 0) print('The store is up to date.');
  else print(`Added to the store: ${steps.join(', ')}.`);
}

export async function status(options: CommonOptions): Promise<void> {
  const settings = await settingsWithStore(options);
  const copy = await copyStatus(settings);
  // Said first: it holds while the store is out of reach.
  if (options.json !== true && copy !== null) {
    const { generation, folder, takenAt } = copy;
    print(`The copy of this machine has generation ${generation}, of ${takenAt.toISOString()}: ${folder}`);
  }
  const found = await storeStatus(settings, processEnvironment());
  if (options.json === true) return printReport({ ...found, copy });
  if (found.lines.length === 0) print('Nothing has been published yet.');
  for (const { line, generation, publishedAt, bytes, writer } of found.lines) {
    print(
      `${colours.bold(line)}  generation ${generation}  ${megabytes(bytes)}  ${publishedAt.toISOString()}`,
    );
    print(`    ${writer === null ? colours.yellow('no writer') : `written by ${writer}`}`);
  }
  print(
    `${counted(found.skills, 'skill')} with their files, ${counted(found.objects, 'object')}, ${megabytes(found.bytes)}`,
  );
}

export async function copyInto(options: CommonOptions): Promise<void> {
  const published = await copyIn(await settingsWithStore(options), processEnvironment(), say);
  if (published === null) throw new CliError('FAILED', 'There is no index to publish.');
  if (options.json === true) printReport(published);
  else print(`Generation ${published.generation} is published.`);
}

export async function copyTo(dir: string, options: CommonOptions): Promise<void> {
  const copied = await copyOut(await settingsWithStore(options), processEnvironment(), dir);
  if (options.json === true) return printReport(copied);
  print(`Generation ${copied.generation} with ${counted(copied.skills, 'skill')} is in ${dir}.`);
  if (copied.missing.length > 0) say(`Without files: ${copied.missing.join(', ')}.`);
}

export async function policy(options: CommonOptions): Promise<void> {
  const { config } = await settingsWithStore(options);
  await publishPolicy(config.store, processEnvironment(), config.policy);
  if (!config.store.shares.includes('policy')) say('Gateways use it where store.shares lists policy.');
  print(`The policy is published: gateways follow it ${FOLLOWED}.`);
}

export async function audit(options: CommonOptions): Promise<void> {
  const { config } = await settingsWithStore(options);
  await readSharedAudit(config.store, processEnvironment(), print);
}

interface GcOptions extends CommonOptions {
  readonly keep: number;
  /** Minutes. */
  readonly grace: number;
}

export async function gc(options: GcOptions): Promise<void> {
  const { keep, grace } = options;
  if (keep < 1 || grace < 0) throw new CliError('USAGE', '--keep is at least 1, and --grace at least 0.');
  const graceMs = grace * 60_000;
  const removed = await collectStore(await settingsWithStore(options), processEnvironment(), {
    keep,
    graceMs,
    onProgress: every(PROGRESS_MS, ({ bytes }) => say(`${megabytes(bytes)} removed so far.`)),
  });
  if (options.json === true) return printReport(removed);
  const { generations, skills, objects, bytes } = removed;
  print(
    `Removed ${counted(generations, 'generation')}, ${counted(skills, 'skill')}, ${counted(objects, 'object')} (${megabytes(bytes)}).`,
  );
}

/** How often progress is printed, ms. */
const PROGRESS_MS = 5_000;

/** Calls at most once in so many milliseconds, not at first. */
function every<Value>(ms: number, call: (value: Value) => void): (value: Value) => void {
  let last = performance.now();
  return (value) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    call(value);
  };
}

async function settingsWithStore(options: CommonOptions) {
  const settings = await trustedSettings(options);
  const { store } = settings.config;
  if (store === undefined)
    throw new CliError('USAGE', 'There is no store in the configuration: see docs/scale.md.');
  return { ...settings, config: { ...settings.config, store } };
}

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
