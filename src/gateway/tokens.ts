/** Token estimates, and text cut to a token budget. Hosts use their own tokenisers, so this is an estimate. */

import type { TextSlice } from './gateway.ts';

/** Default limit of one load of a skill's instructions, tokens. */
export const DEFAULT_TOKENS = 8_000;

/** Characters per token in Latin prose and code; rather low for the common byte-pair vocabularies. */
const CHARACTERS_PER_TOKEN = 3.6;
/** Han, kana and hangul: about one token per character. */
const WIDE =
  /[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[\ud840-\ud87f][\udc00-\udfff]/g;

export function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return Math.ceil(wide + (text.length - wide) / CHARACTERS_PER_TOKEN);
}

/**
 * Whole lines `from` to `to` (1-based, both included) that fit `maxTokens`. At least one line, cut where it alone is over
 * the budget.
 */
export function sliceLines(lines: readonly string[], from: number, to: number, maxTokens: number): TextSlice {
  const kept: string[] = [];
  let left = maxTokens;
  let at = from;
  for (; at <= to; at += 1) {
    const line = lines[at - 1] ?? '';
    const cost = estimateTokens(line) + 1;
    if (cost > left) break;
    kept.push(line);
    left -= cost;
  }
  const lineCount = lines.length;
  if (at > to)
    return { text: kept.join('\n'), lines: [from, Math.max(from, to)], lineCount, truncated: false };
  if (kept.length > 0)
    return { text: kept.join('\n'), lines: [from, at - 1], lineCount, truncated: true, continueAt: at };
  const line = (lines[from - 1] ?? '').slice(0, Math.floor(maxTokens * CHARACTERS_PER_TOKEN)).toWellFormed();
  const next = from < to ? { continueAt: from + 1 } : {};
  return { text: `${line} …`, lines: [from, from], lineCount, truncated: true, ...next };
}

/** Lines of a text without their line ends (`\n` or `\r\n`). A final line end does not begin another line. */
export function splitLines(text: string): string[] {
  // Without an expression it takes a third of the time.
  const lines = text.split(text.includes('\r') ? /\r?\n/ : '\n');
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines;
}
