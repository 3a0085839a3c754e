/** Settings that need trust as a person sees them: secrets masked, and nothing that changes how a terminal shows them. */

import { maskedArguments, maskedUrl, maskedValues } from '../config/mask.ts';
import { mappingOf, type Settings } from '../config/split.ts';

/** Members whose values may be secrets. */
const SECRET_VALUES = new Set(['env', 'headers']);
/** Control characters, and those that are invisible or change the direction of writing. */
const DECEPTIVE = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

export const maskedSettings = (settings: Settings): Settings => mappingOf(masked(settings)) ?? {};

/** As JSON, over several lines. */
export const settingsText = (settings: Settings): string =>
  JSON.stringify(settings, null, 2).replace(
    DECEPTIVE,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskedUrl(value);
  if (Array.isArray(value)) return value.map(masked);
  const mapping = mappingOf(value);
  if (mapping === null) return value;
  return Object.fromEntries(
    Object.entries(mapping).map(([name, part]) => {
      if (name === 'args' && isTexts(part)) return [name, maskedArguments(part)];
      const values = SECRET_VALUES.has(name) ? textsOf(part) : null;
      return [name, values === null ? masked(part) : maskedValues(values)];
    }),
  );
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'string');

function textsOf(value: unknown): Readonly<Record<string, string>> | null {
  const mapping = mappingOf(value);
  if (mapping === null) return null;
  return Object.fromEntries(Object.entries(mapping).map(([name, part]) => [name, String(part)]));
}
