/**
 * Checks the specification's own rules (agentskills.io, as the protocol's Skills extension checks them). A skill
 * that passes is accepted by `skillEntry` of the TypeScript SDK; a test compares the two. Keys beyond the
 * specification are allowed in both.
 */

import { isRecord } from '../base/json.ts';
import type { Split } from './front-matter.ts';
import type { YamlReading } from './yaml.ts';

export const NAME_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function isStrict(
  reading: YamlReading,
  split: Split,
  where: { readonly path: string; readonly folder: string; readonly encodingFaults: boolean },
): boolean {
  const { name, description, compatibility, metadata } = reading.keys ?? {};
  return (
    reading.strict &&
    split.diagnostics.length === 0 &&
    !where.encodingFaults &&
    where.path === 'SKILL.md' &&
    isName(name) &&
    name === where.folder &&
    isShortText(description, 1_024) &&
    (compatibility === undefined || isShortText(compatibility, 500)) &&
    (metadata === undefined || isStringMap(metadata))
  );
}

/** Whether a value is a name by the specification's rules, whatever its folder is called. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 64 && NAME_PATTERN.test(value);

export function isStringMap(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((item) => typeof item === 'string');
}

/** A string of 1 to `limit` characters (code points). */
export function isShortText(value: unknown, limit: number): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= limit;
}
