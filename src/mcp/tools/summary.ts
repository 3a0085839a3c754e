/**
 * One line about a skill, in whole sentences of its description: what it does and when to use it, and of a long
 * description the sentence nearest to the query. A sentence that is too long ends at a comma or another break.
 */

import { oneLine } from '../../base/text.ts';

/** A shorter line has room for one sentence only. */
const MIN_FOR_BOTH = 100;
/** How much of a text is read, characters: the specification allows 1,024. */
const READ = 4_000;
/** A sentence may be shortened to this share of the line before it is left out. */
const MIN_SHARE = 0.35;

/** Sentences that say when a skill is the right one. */
const WHEN =
  /\b(?:(?:use|used|useful|invoke|apply|activate|load|call|run|choose|pick|ideal|suitable|recommended|perfect|designed) (?:this|it|the|me|when|whenever|for|if|to|as|proactively|only|skill)\b|when(?:ever)? (?:you|the|a|an|asked|working|to|someone|users?)\b|trigger(?:s|ed)?\b|must be used|use[sd]? (?:cases?|with)\b)|使用|适用|触发|當|当.{1,30}时|とき|場合|사용/i;
/** A sentence that says when not to use it is no reason to choose it. */
const NOT_WHEN = /\b(?:do not|don't|don’t|never|not) (?:use|for|to)\b|\bnot (?:for|when)\b/i;

/** Characters that take about a token each count as three. */
const WIDE = /[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;
const measureWidth = (text: string) => text.length + 2 * (text.match(WIDE)?.length ?? 0);

/** How much of a query a text says (`query-mass.ts`). */
export type Mass = (text: string) => number;

/** At most `most` characters on one line; '' for an empty description. Default of `massOf`: there is no query. */
export function summarise(description: string, most: number, massOf: Mass = () => 0): string {
  const sentences = splitSentences(description.slice(0, READ));
  const whole = sentences.join(' ');
  if (description.length <= READ && measureWidth(whole) < most) return ended(whole);
  const [first = ''] = sentences;
  const when = sentences.find((sentence) => WHEN.test(sentence) && !NOT_WHEN.test(sentence));
  const kept = new Set(when === undefined || when === first ? [first] : [first, when]);
  const text = inOrder(sentences, kept);
  if (measureWidth(text) >= most) return shortened(first, when === first ? undefined : when, most);
  // The rest of the line goes to sentences that add words of the query, nearest first.
  let covered = massOf(text);
  for (const sentence of byMass(sentences, massOf)) {
    const longer = inOrder(sentences, new Set([...kept, sentence]));
    const mass = massOf(longer);
    if (mass <= covered || measureWidth(longer) > most) continue;
    kept.add(sentence);
    covered = mass;
  }
  return ended(inOrder(sentences, kept));
}

/** With a full stop where there is no mark at the end. */
const ended = (text: string) => (/[\p{L}\p{N})\]'"”]$/u.test(text) ? `${text}.` : text);

const inOrder = (sentences: readonly string[], kept: ReadonlySet<string>) =>
  sentences.filter((sentence) => kept.has(sentence)).join(' ');

/** What it does and when to use it, both shortened; the second keeps most of the line. */
function shortened(what: string, when: string | undefined, most: number): string {
  if (when === undefined || most < MIN_FOR_BOTH) return cutAtBreak(what === '' ? (when ?? '') : what, most);
  const least = Math.floor(MIN_SHARE * most);
  const end = cutAtBreak(when, most - Math.min(measureWidth(what), least) - 1);
  const start = cutAtBreak(what, most - measureWidth(end) - 1);
  return `${start} ${end}`;
}

function byMass(sentences: readonly string[], massOf: Mass): string[] {
  return sentences
    .map((sentence) => ({ sentence, mass: massOf(sentence) }))
    .filter(({ mass }) => mass > 0)
    .sort((a, b) => b.mass - a.mass)
    .map(({ sentence }) => sentence);
}

/** Ends of sentences: a mark and white space before a new beginning, a full stop of Chinese or Japanese, or a line of a list. */
const BOUNDARY =
  /(?<=[.!?]["'”’)\]*]{0,2})\s+(?=["'“‘([*`]{0,2}[\p{Lu}\p{Lo}\p{N}])|(?<=[。！？])\s*|\s*\n\s*(?:[-*•]\s+|\n\s*)/u;
/** Abbreviations that end no sentence. */
const ABBREVIATION = /\b(?:e\.g|i\.e|vs|cf|incl|approx|no|dr|mr|mrs|ms|st|fig|al|inc|v)\.$/i;

function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  for (const piece of text.split(BOUNDARY)) {
    const sentence = oneLine(piece);
    const last = sentences.at(-1);
    if (sentence === '') continue;
    if (last !== undefined && ABBREVIATION.test(last))
      sentences[sentences.length - 1] = `${last} ${sentence}`;
    else sentences.push(sentence);
  }
  return sentences;
}

/** Breaks inside a sentence, the last of which a long one ends at: marks, and beginnings of clauses that say no more than why or how. */
const BREAK =
  /[,;:，；：、](?=\s|[^\x00-\x7f])|\s[—–(-](?=\s|\w)|\s(?=(?:so that|so (?:it|they|you|users?|agents?) |in order to|because|by \w+ing)\b)/g;
/** Words that cannot end a sentence. */
const LOOSE_END =
  /(?:[\s,;:，；：、—–(-]|\b(?:and|or|the|a|an|to|of|for|with|in|on|by|from|as|at|via|into|onto|over|between|that|which|when|if|than|using|including|such|like|is|are|be|not|no|but|their|your|its|this|these|e\.g\.|i\.e\.))+$/i;

/**
 * The sentence, or as much of it as fits, ended at a break or else after a word. `…` says that it went on: with a full stop,
 * "repairs SPF, DKIM and DMARC records" would become the false "repairs SPF.".
 */
function cutAtBreak(sentence: string, most: number): string {
  if (measureWidth(sentence) <= most) return sentence;
  let end = Math.min(sentence.length, most);
  while (end > 0 && measureWidth(sentence.slice(0, end)) > most - 1) end -= 1;
  const room = sentence.slice(0, end).toWellFormed();
  const breaks = Array.from(room.matchAll(BREAK), ({ index }) => index).filter(
    (at) => at >= end / 2 && isClosed(room.slice(0, at)),
  );
  const space = room.lastIndexOf(' ');
  const cut = room.slice(0, breaks.at(-1) ?? (space > end / 2 ? space : end));
  const closed = isClosed(cut) ? cut : cut.slice(0, findOpening(cut));
  return `${closed.replace(LOOSE_END, '')}${/[.!?。]$/.test(closed) ? '' : '…'}`;
}

/** Whether every parenthesis and double quote that the text opens is closed. */
function isClosed(text: string): boolean {
  return findOpening(text) === text.length;
}

/** Position of the first parenthesis or double quote that is not closed; the text's length if there is none. */
function findOpening(text: string): number {
  const open: number[] = [];
  let quote = -1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') open.push(at);
    else if (text[at] === ')') open.pop();
    else if (text[at] === '"') quote = quote === -1 ? at : -1;
  }
  const first = Math.min(open[0] ?? text.length, quote === -1 ? text.length : quote);
  return first > 0 ? first : text.length;
}
