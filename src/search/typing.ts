/** How likely one word is another one that was mistyped: the cheapest edits that turn it into that, by what fingers do. */

/** Neighbours of each letter on a keyboard of the usual layouts. */
const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const NEAR = new Set(
  ROWS.flatMap((row, at) =>
    Array.from(row, (key, column) =>
      [row[column + 1], ROWS[at + 1]?.[column], ROWS[at + 1]?.[column - 1]].flatMap((other) =>
        other === undefined ? [] : [key + other, other + key],
      ),
    ).flat(),
  ),
);
const VOWELS = new Set('aeiouy');
/** Letters that sound alike, and are confused by ear. */
const ALIKE = new Set(['sc', 'cs', 'kc', 'ck', 'sz', 'zs', 'fv', 'vf', 'dt', 'td']);

/** Cost of edits. One of 1 is a usual slip. */
const SWAPPED = 0.7;
const DOUBLED = 0.6;
const MISSING = 0.9;
const EXTRA = 0.95;
const VOWEL = 0.8;
const NEIGHBOUR = 0.85;
const OTHER = 1.2;
/** A last letter that is another one is mostly another word. */
const LAST = 0.3;

/**
 * Highest cost of a correction: for words of four letters, of up to seven, of more, for names, and for words of a language
 * without a list of words, where another letter is mostly another word or ending.
 */
export const MAX_COST = { short: 0.8, usual: 1, long: 2, name: 1, unlisted: 0.7 } as const;

/** Cost of typing `typed` where `meant` was meant; more than any `MAX_COST` if more than two edits are needed. */
export function typingCost(typed: string, meant: string): number {
  const [rows, columns] = [typed.length + 1, meant.length + 1];
  const costs = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      if (row === 0 && column === 0) continue;
      let best = Number.POSITIVE_INFINITY;
      const place = row * columns + column;
      if (row > 0) best = costs[place - columns]! + extra(typed, row - 1);
      if (column > 0) best = Math.min(best, costs[place - 1]! + missing(meant, column - 1));
      if (row > 0 && column > 0)
        best = Math.min(best, costs[place - columns - 1]! + changed(typed, row - 1, meant, column - 1));
      if (row > 1 && column > 1 && areSwapped(typed, row, meant, column))
        best = Math.min(best, costs[place - 2 * columns - 2]! + SWAPPED);
      costs[place] = best;
    }
  return costs[costs.length - 1]!;
}

const areSwapped = (typed: string, row: number, meant: string, column: number) =>
  typed[row - 1] === meant[column - 2] && typed[row - 2] === meant[column - 1];

const isDouble = (word: string, at: number) => word[at] === word[at - 1] || word[at] === word[at + 1];

const extra = (typed: string, at: number) => (isDouble(typed, at) ? DOUBLED : EXTRA);

const missing = (meant: string, at: number) => (isDouble(meant, at) ? DOUBLED : MISSING);

function changed(typed: string, row: number, meant: string, column: number): number {
  const [was, is] = [typed[row]!, meant[column]!];
  if (was === is) return 0;
  const isLast = row === typed.length - 1 && column === meant.length - 1;
  const where = isLast ? LAST : 0;
  if (VOWELS.has(was) && VOWELS.has(is)) return VOWEL + where;
  return (NEAR.has(was + is) ? NEIGHBOUR : ALIKE.has(was + is) ? VOWEL : OTHER) + where;
}

/** Whether `meant` can be what was typed: hardly anyone mistypes the first letter, but for two that are swapped. */
export function beginsAlike(typed: string, meant: string): boolean {
  const [first, second] = [typed.charCodeAt(0), typed.charCodeAt(1)];
  if (meant.charCodeAt(0) === first) return true;
  return meant.charCodeAt(0) === second && meant.charCodeAt(1) === first;
}

/** Every word one edit away that keeps the first letter, each once. */
export function edits(word: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 1; at <= word.length; at += 1) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    if (after.length > 0) found.add(before + after.slice(1));
    if (after.length > 1) found.add(before + after[1] + after[0] + after.slice(2));
    for (const letter of LETTERS) {
      found.add(before + letter + after);
      if (after.length > 0) found.add(before + letter + after.slice(1));
    }
  }
  found.delete(word);
  return found;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
