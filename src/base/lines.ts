/**
 * Lines of output that hold names and paths of others: nothing in them breaks the line, hides in it, or is obeyed by a terminal or
 * by a workflow of a code host.
 */

/**
 * Control, format, surrogate and line-separator characters: they break a line, reverse it, or carry text that models see
 * and people do not. The two joiners stay, because Persian, Hindi and emoji need them.
 */
export const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[\u{e0100}-\u{e01ef}]/gu;

/** A value as JSON over several lines, hidden characters escaped, and what a workflow would obey. */
export const toJsonLines = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => withoutCommand(escapeHidden(line)))
    .join('\n');

/** Hidden characters as escapes of JSON; tabs stay. */
export const escapeHidden = (text: string): string =>
  text.replace(HIDDEN, (character) =>
    character === '\t'
      ? character
      : Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(''),
  );

/** Runners of workflows obey `::…` at the beginning of a line, and `##[…` and `##vso[…` anywhere in it. */
export const withoutCommand = (line: string): string =>
  line.replace(/^(\s*):(?=:)/, '$1\\u003a').replace(/#(?=#(?:\[|vso\[))/g, '\\u0023');

/** As `picocolors` writes them. */
const COLOUR = /(\x1b\[(?:[0-2]|22|3[1-6]|39|90)m)/;

/**
 * A line for a terminal or log that may hold names and paths of others: what would break the line, hide in it, or be obeyed by a
 * terminal or a workflow is escaped. Colours stay where `coloured`, those that hide text excepted.
 */
export function asLine(text: string, coloured = false): string {
  const parts = coloured ? text.split(COLOUR) : [text];
  return withoutCommand(parts.map((part, at) => (at % 2 === 1 ? part : escapeHidden(part))).join(''));
}

const escapeUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;
