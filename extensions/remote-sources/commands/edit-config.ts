/**
 * Edits the list of sources in the text of a configuration file. Comments and the layout of all other settings stay.
 * The caller checks whether the result is valid.
 */

import { removeItem, setJson } from '../json-edit.ts';
import { appendYamlItem, removeYamlItem, setYaml } from '../yaml-edit.ts';

export type SourceEntry = Readonly<Record<string, unknown>>;

const PATH = ['sources'];

/** Appends entries to `sources`, and adds the list where it is missing. `text` may be empty. */
export const withSources = (text: string, isJson: boolean, entries: readonly SourceEntry[]): string =>
  entries.reduce(
    (edited, entry) => (isJson ? setJson(edited, PATH, entry, true) : appendYamlItem(edited, PATH, entry)),
    text,
  );

/** Removes one of `count` entries of `sources`. */
export function withoutSource(text: string, isJson: boolean, at: number, count: number): string {
  if (isJson) return removeItem(text, PATH, at);
  return count === 1 ? setYaml(text, PATH, []) : removeYamlItem(text, PATH, at);
}
