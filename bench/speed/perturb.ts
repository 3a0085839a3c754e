/** A copy of a skill's text that is no twin of it: another name, its sections in another order, other words. */

import { seeded, shuffled } from '../../src/evaluation/public.ts';
import { inOtherWords, type Vocabulary } from './vocabulary.ts';

export interface Perturbation {
  readonly vocabulary: Vocabulary;
  readonly seed: number;
  /** The copy's own name, put into the front matter. */
  readonly name: string;
}

/** The same input gives the same text. Front matter keeps its keys, so what could be parsed still can be. */
export function perturbed(text: string, { vocabulary, seed, name }: Perturbation): string {
  const { front, body } = parts(text);
  const words = (part: string) => inOtherWords(part, vocabulary, seed);
  const sections = sectionsOf(body);
  const [opening = '', ...rest] = sections;
  return frontWith(front, name, words) + words([opening, ...shuffled(rest, seeded(seed))].join(''));
}

function parts(text: string): { front: string; body: string } {
  const end = /^---\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[0].length ?? 0;
  return { front: text.slice(0, end), body: text.slice(end) };
}

function frontWith(front: string, name: string, words: (part: string) => string): string {
  return front.replace(/^(\s*[\w-]+:)?(.*)$/gm, (_, key: string | undefined, value: string) =>
    key === 'name:' ? `name: ${name}` : `${key ?? ''}${words(value)}`,
  );
}

/** Stretches that each begin with a second-level heading, the opening first. Fenced code keeps together. */
function sectionsOf(body: string): string[] {
  const sections: string[] = [''];
  let fenced = false;
  for (const line of body.match(/.*(?:\n|$)/g) ?? []) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) fenced = !fenced;
    if (!fenced && line.startsWith('## ')) sections.push('');
    sections[sections.length - 1] += line;
  }
  // The last of several stretches may lack its line break, which it needs once it is no longer the last.
  return sections.map((section) => (section === '' || section.endsWith('\n') ? section : `${section}\n`));
}
