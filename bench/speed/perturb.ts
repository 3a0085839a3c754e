/** A changed copy of a skill's text that does not count as its copy: another name, section order and words. */

import { seeded, shuffled } from '../evaluation/statistics.ts';
import { substituteWords, type Vocabulary } from './vocabulary.ts';

interface Perturbation {
  readonly vocabulary: Vocabulary;
  readonly seed: number;
  /** Name of the copy, for the front matter. */
  readonly name: string;
}

/** The same input gives the same text. The front matter keeps its keys and still parses. */
export function perturbed(text: string, { vocabulary, seed, name }: Perturbation): string {
  const { front, body } = splitFrontMatter(text);
  const words = (part: string) => substituteWords(part, vocabulary, seed);
  const sections = sectionsOf(body);
  const [opening = '', ...rest] = sections;
  return frontWith(front, name, words) + words([opening, ...shuffled(rest, seeded(seed))].join(''));
}

function splitFrontMatter(text: string): { front: string; body: string } {
  const end = /^---\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[0].length ?? 0;
  return { front: text.slice(0, end), body: text.slice(end) };
}

function frontWith(front: string, name: string, words: (part: string) => string): string {
  return front.replace(/^(\s*[\w-]+:)?(.*)$/gm, (_, key: string | undefined, value: string) =>
    key === 'name:' ? `name: ${name}` : `${key ?? ''}${words(value)}`,
  );
}

/** The text before the first second-level heading, then one section per such heading. Fenced code stays whole. */
function sectionsOf(body: string): string[] {
  const sections: string[] = [''];
  let fenced = false;
  for (const line of body.match(/.*(?:\n|$)/g) ?? []) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) fenced = !fenced;
    if (!fenced && line.startsWith('## ')) sections.push('');
    sections[sections.length - 1] += line;
  }
  // The last section may lack a line break, which it needs in another position.
  return sections.map((section) => (section === '' || section.endsWith('\n') ? section : `${section}\n`));
}
