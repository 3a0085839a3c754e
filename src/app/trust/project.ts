/**
 * Whether the user trusts what a project's file says. Without trust its harmless settings are used and the others are left
 * out. Asking belongs to the command line.
 */

import { basename, dirname } from 'node:path';
import { configFolderOf, type FoundFile, isInsideOf, trustsProjects } from '../config/find.ts';
import { checkLayer, type Layer, layerOf } from '../config/layers.ts';
import { digestOf, type Settings, type Split, splitByTrust } from '../config/split.ts';
import { readTrusted, trust } from './store.ts';

/** What the process knows of where it runs. */
interface Surroundings {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ProjectTrust {
  /** Real path. */
  readonly file: string;
  /**
   * - `trusted`: by the user, or by `SKILLGATE_TRUST_PROJECT`.
   * - `changed`: other settings of the file were trusted.
   */
  readonly state: 'trusted' | 'untrusted' | 'changed';
  /** What trust is, or would be, given for, as the file has it: variables are named, not filled in. */
  readonly settings: Settings;
  /** What was trusted before it changed. */
  readonly before: Settings | null;
  /** Names of the settings: `sources[1]`, `scripts`. */
  readonly parts: readonly string[];
  readonly digest: string;
}

/** Parts named in one line. */
const NAMED = 3;

/** Throws `ConfigError` for an invalid file, also where it is wrong in settings that are left out. */
export function examineProject(found: FoundFile, around: Surroundings): ProjectTrust & { layer: Layer } {
  const whole = layerOf(found);
  checkLayer(whole);
  const folder = dirname(found.file);
  const split = splitByTrust(whole.value, (path) => isInsideOf(folder, path, around.home));
  const digest = digestOf(split.sensitive);
  const known = readTrusted(configFolderOf(around)).get(found.file);
  const isTrusted = known?.digest === digest || trustsProjects(around.env);
  const state = isTrusted ? 'trusted' : known === undefined ? 'untrusted' : 'changed';
  return {
    file: found.file,
    state,
    settings: split.sensitive,
    before: state === 'changed' ? (known?.settings ?? null) : null,
    parts: split.parts,
    digest,
    layer: isTrusted ? whole : harmlessLayer(whole, split),
  };
}

const harmlessLayer = (whole: Layer, { harmless, kept }: Split): Layer => ({
  ...whole,
  value: harmless,
  kept,
});

/** Remembers that the user trusts these settings. Throws `FILE_UNWRITABLE`. */
export function trustProject({ file, digest, settings }: ProjectTrust, around: Surroundings): void {
  trust(configFolderOf(around), file, { digest, settings, since: new Date().toISOString() });
}

/** One line that says what is left out; holds no text of the file but names of settings. */
export function leftOutLine({ file, parts, state }: ProjectTrust): string {
  const more = parts.length > NAMED ? ` and ${parts.length - NAMED} more` : '';
  const named = `${parts.slice(0, NAMED).join(', ')}${more}`;
  const since = state === 'changed' ? 'changed since you trusted it' : 'is not trusted';
  return `${basename(file)} ${since}, so this is left out of it: ${named}. To see and trust it: skillgate trust.`;
}
