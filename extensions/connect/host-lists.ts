/** The lists of the hosts on this machine, of the skills in the folders that they read, at the context window of their model. */

import { basename, join } from 'node:path';
import type { ProcessEnvironment } from '../../src/app/configured.ts';
import { readBelow, readRegularSync } from '../../src/base/files/read.ts';
import { parseSkill } from '../../src/skills/parse.ts';
import { localSource } from '../../src/sources/local.ts';
import { readCatalog } from '../../src/sources/scan/catalog.ts';
import { defaultRoots, foldersReadBy } from '../../src/sources/scan/roots.ts';
import { readHostText, valueAt } from './edit.ts';
import type { Format, Host } from './host.ts';
import { installedHosts } from './installed.ts';
import { computeListing, type ListedSkill, type ListingReport, toListed, WINDOW_TOKENS } from './listing.ts';
import { findFirstLocation, pathAt, type System } from './locations.ts';
import { findConnection, isListHidden } from './plan.ts';

/** Largest skill file that is read for its name, bytes. */
const MAX_BYTES = 16 * 2 ** 20;
const DAY_MS = 86_400_000;

export interface HostList {
  readonly host: Host;
  readonly report: ListingReport;
  /** What its limit is computed for: the model of its settings, or what is assumed without one. */
  readonly model: ModelWindow;
  /** Whether the list is switched off, so that the report says what it would be. */
  readonly isHidden: boolean;
  /** Whether the host has skillgate in its settings, those of the user or of the project. */
  readonly isConnected: boolean;
}

/** Of the hosts that are installed and find a skill. */
export async function hostLists(environment: ProcessEnvironment, system: System): Promise<HostList[]> {
  const installed = installedHosts(system);
  if (installed.length === 0) return [];
  const skills = await listSkills(environment);
  const usage = claudeUsage(system);
  return installed.flatMap((host) => {
    const folders = new Set(foldersReadBy(host.id, environment));
    const own = skills.filter(({ root }) => folders.has(root));
    if (own.length === 0) return [];
    const model = modelWindow(host, system);
    const windowTokens = model.windowTokens;
    const report = computeListing(own, host.listing, {
      windowTokens,
      ...(host.id === 'claude-code' && { usage }),
    });
    // A file that cannot be read hides and connects nothing; doctor reports it.
    const names = own.map(({ name }) => name);
    const isHidden = orFalse(() => isListHidden(host, system, names));
    const isConnected = (['user', 'project'] as const).some((scope) =>
      orFalse(() => findConnection(host, scope, system) !== null),
    );
    return [{ host, report, model, isHidden, isConnected }];
  });
}

/** Names of the skills that a host finds, each once. */
export async function namesOfSkills({ id }: Host, environment: ProcessEnvironment): Promise<string[]> {
  const folders = new Set(foldersReadBy(id, environment));
  const skills = (await listSkills(environment)).filter(({ root }) => folders.has(root));
  return [...new Set(skills.map(({ name }) => name))].sort();
}

function orFalse(holds: () => boolean): boolean {
  try {
    return holds();
  } catch {
    return false;
  }
}

interface FoundSkill extends ListedSkill {
  /** The folder of skills that it was found in. */
  readonly root: string;
}

/** Names and descriptions of the skills in the folders of all hosts. */
async function listSkills(environment: ProcessEnvironment): Promise<readonly FoundSkill[]> {
  const roots = defaultRoots(environment);
  const rootOf = new Map(roots.map(({ name, root }) => [name, root]));
  const { folders } = await readCatalog(roots.map((root) => localSource({ ...root, optional: true })));
  const skills: FoundSkill[] = [];
  for (const { source, folder, file, files } of folders)
    try {
      const bytes = await readBelow(
        folder,
        file,
        (path) => files.some((own) => own.path === path),
        MAX_BYTES,
      );
      const skill = parseSkill(bytes, { path: file, folder: basename(folder) });
      skills.push({ ...toListed(skill), file: join(folder, file), root: rootOf.get(source) ?? '' });
    } catch {
      // skillgate validate reports it.
    }
  return skills;
}

/** A file of a host; null where it cannot be read. */
function settingsIn(file: string, format: Format): unknown {
  try {
    const text = Buffer.from(readRegularSync(file, MAX_BYTES)).toString('utf8');
    return readHostText({ file, format, text });
  } catch {
    return null;
  }
}

/** How much Claude Code used each skill: an old use counts less, down to a tenth. */
function claudeUsage(system: System): ReadonlyMap<string, number> {
  const value = settingsIn(pathAt('{claudeState}/.claude.json', system), 'json');
  const uses = Object.entries(Object(valueAt(value, ['skillUsage']))).map(([name, use]) => {
    const days = (Date.now() - Number(valueAt(use, ['lastUsedAt']) ?? Date.now())) / DAY_MS;
    return [name, Number(valueAt(use, ['usageCount']) ?? 0) * Math.max(0.1, 0.5 ** (days / 7))] as const;
  });
  return new Map(uses.filter(([, use]) => Number.isFinite(use)));
}

/** A model, and its context window in tokens. */
interface ModelWindow {
  readonly name: string;
  readonly windowTokens: number;
}

/** The models before these have 200,000 tokens. */
const CLAUDE_TOKENS = 1_000_000;
const CODEX_TOKENS = 272_000;
const LARGE_CODEX = /^gpt-6\.(1-(sol|terra)|2-sol)\b/;

/** The model that the host's own settings name, or what is assumed without one. */
function modelWindow({ id, files }: Host, system: System): ModelWindow {
  if (id === 'claude-code') {
    const file = pathAt('{claude}/settings.json', system);
    const name = system.env.ANTHROPIC_MODEL || valueAt(settingsIn(file, 'json'), ['model']);
    if (typeof name !== 'string') return { name: 'a current model', windowTokens: CLAUDE_TOKENS };
    const isOld = /(^|-)(3|4)(-|$)/.test(name) && !name.endsWith('[1m]');
    return { name, windowTokens: isOld ? WINDOW_TOKENS : CLAUDE_TOKENS };
  }
  if (id === 'codex') {
    const value = settingsIn(findFirstLocation(files.user ?? [], system), 'toml');
    const name = valueAt(value, ['model']);
    const own = Number(valueAt(value, ['model_context_window']));
    const known = typeof name === 'string' && LARGE_CODEX.test(name) ? 500_000 : CODEX_TOKENS;
    return { name: typeof name === 'string' ? name : 'a model', windowTokens: own > 0 ? own : known };
  }
  return { name: 'any model', windowTokens: WINDOW_TOKENS };
}
