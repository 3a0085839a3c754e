/** `skillgate cache list|remove|clean`: shows what lies in the folder of caches, and removes what nobody needs. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CacheContents,
  cacheContents,
  removedText,
  removeIndex,
  removeUnused,
  UNUSED_MS,
} from '../../app/cache.ts';
import { processEnvironment } from '../../app/configured.ts';
import { cacheFolderOf } from '../../app/index-folders.ts';
import { ageText } from '../../sources/fetched/refresh.ts';
import { CliError } from '../exit-codes.ts';
import { colours, print, printReport, say } from '../output.ts';

interface CacheOptions {
  readonly json?: boolean;
}

const folder = () => cacheFolderOf(processEnvironment());

export function list({ json }: CacheOptions): void {
  const contents = cacheContents(folder());
  if (json === true) printReport(contents);
  else show(contents);
}

/** Removes indexes and other entries by their names in the list. Nothing is removed where one is unknown. */
export async function remove(names: readonly string[], { json }: CacheOptions): Promise<void> {
  const { folder: at, indexes, others } = cacheContents(folder());
  const isIndex = (name: string) => indexes.some((index) => index.name === name);
  const unknown = names.filter((name) => !isIndex(name) && !others.some((other) => other.name === name));
  if (unknown.length > 0)
    throw new CliError(
      'NOT_FOUND',
      `There is no ${unknown.join(', ')} in ${at}. skillgate cache lists what there is.`,
    );
  const learned = names.filter((name) => name.endsWith('/learned'));
  if (learned.length > 0)
    throw new CliError(
      'USAGE',
      `${learned.join(', ')} cannot be made again: skillgate forget --all removes what was learned.`,
    );
  const removed: string[] = [];
  for (const name of names) {
    if (!isIndex(name)) rmSync(join(at, name), { recursive: true, force: true });
    else if (!(await removeIndex(join(at, name)))) continue;
    removed.push(name);
  }
  const kept = names.filter((name) => !removed.includes(name));
  if (json === true) printReport({ removed, kept });
  else if (removed.length > 0) print(`Removed ${removed.join(', ')}.`);
  if (kept.length > 0)
    throw new CliError('FAILED', `Another process writes ${kept.join(', ')}: try again once it is done.`);
}

/** Removes the indexes and the copies of sources that nobody used for 60 days. */
export async function clean({ json }: CacheOptions): Promise<void> {
  const unusedSince = new Date(Date.now() - UNUSED_MS);
  const removed = await removeUnused(folder(), unusedSince, Number.POSITIVE_INFINITY);
  if (json === true) printReport({ removed });
  else
    print(
      removed.length === 0
        ? 'Every index and every copy was used in the last 60 days.'
        : `Removed ${removedText(removed)}.`,
    );
}

function show({ folder: at, indexes, others, bytes }: CacheContents): void {
  if (bytes === 0) {
    say(`There is nothing in ${at}.`);
    return;
  }
  for (const { name, of = [], shared, bytes: own, sharedBytes, usedAt } of indexes) {
    const purpose = of.length === 0 ? 'unknown, from an earlier version' : of.map(fromHome).join(', ');
    const size = sharedBytes === 0 ? mb(own) : `${mb(own)}, and ${mb(sharedBytes)} shared`;
    print(`${colours.bold(name)}  ${shared === true ? `all projects, from ${purpose}` : purpose}`);
    print(colours.dim(`  ${size}, used ${ageText(Date.now() - usedAt.getTime())} ago`));
  }
  for (const { name, bytes: own } of others) {
    print(`${colours.bold(name)}  ${name.endsWith('/learned') ? 'what was learned' : 'models and copies'}`);
    print(colours.dim(`  ${mb(own)}`));
  }
  print(`${mb(bytes)} in ${fromHome(at)}`);
}

const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function fromHome(path: string): string {
  const { home } = processEnvironment();
  return path === home || path.startsWith(join(home, '/')) ? `~${path.slice(home.length)}` : path;
}
