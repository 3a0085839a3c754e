/**
 * Whether a query says nothing but a greeting, or something about the one who is asked: no skill is meant. And words that say
 * nothing of what a request is about.
 */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import type { LexicalQuery } from '../../index/lexical/query/query.ts';

const GREETING =
  /^\W*(?:hi|hello|hey|thanks|thank you|bye|good (?:morning|night|evening|afternoon|day)|hallo|danke|guten (?:morgen|tag|abend)|hola|gracias|buenos días|bonjour|merci|olá|obrigad[oa]|ciao|grazie|你好|谢谢|こんにちは|ありがとう|안녕)(?!\p{L})/iu;
const ASKED = /\byou(?:r|rs|rself)?\b/i;
/** A polite request, which is about something else. */
const POLITE = /\b(?:can|could|would|will) you\b|\bthank you\b/gi;
/** Most other words, so that "hello world in Rust" is none. */
const MAX_GREETED = 2;

export function isSmallTalk({ text, terms }: Pick<LexicalQuery, 'text' | 'terms'>): boolean {
  if (GREETING.test(text) && terms.length <= MAX_GREETED) return true;
  return terms.length <= 1 && ASKED.test(text.replace(POLITE, ' '));
}

/** Verbs, and nouns of no subject: "clean this up", "take care of the rest". */
const NO_SUBJECT: ReadonlySet<string> = new Set(
  termsOf(`after again all another answer any anything ask asked before better change check clean continue deal detail different do does
    done else every everything explain find finish first fix get give go good great handle happen help here idea improve issue it
    keep know last leave let like look make more move need next not now off ok okay on one only option other out place please
    problem put quality question really rest run same say second see short shorter show single something sort start step stop
    stuff take tell thing think third this three today tomorrow try two understand up update us use usual want way whole work
    wrong yes yesterday care did since time`),
);
export const namesNothing = (term: string) => NO_SUBJECT.has(term);
