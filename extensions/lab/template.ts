/**
 * A template of a test set, drawn from a team's skills: each row names a skill and a style, and people write the
 * request. `readDataset` reads the result, complete or not.
 */

import { seeded, shuffled } from './statistics.ts';

/** What a writer needs to know about a skill to write a request for it. */
export interface TemplateSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The body's headings, in order. */
  readonly headings: readonly string[];
}

export interface TemplateOptions {
  /** Queries with an answer, one per skill. Default 50: about an hour of work. */
  readonly count?: number;
  /** No-match queries. Default 10. */
  readonly noMatch?: number;
  /** Default 1. The same skills and seed give the same template, in any order of the skills. */
  readonly seed?: number;
}

/** Contents by file name. */
export interface Template {
  readonly 'queries.jsonl': string;
  readonly 'qrels.tsv': string;
  readonly 'README.md': string;
}

/** Assigned in turn, so that a partial set stays balanced. */
const STYLES = ['agent', 'user', 'problem'] as const;

const HINTED_HEADINGS = 6;
/** Characters: enough for two sentences. */
const HINTED_DESCRIPTION = 240;

/** Draws `count` skills without replacement, or all where there are fewer. */
export function makeTemplate(skills: readonly TemplateSkill[], options: TemplateOptions = {}): Template {
  const { count = 50, noMatch = 10, seed = 1 } = options;
  const ordered = [...skills].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const drawn = shuffled(ordered, seeded(seed)).slice(0, count);
  const answerable = drawn.map((skill, index) => ({
    _id: `q${String(index + 1).padStart(3, '0')}`,
    text: '',
    style: STYLES[index % STYLES.length]!,
    skill,
  }));
  const rows = [
    ...answerable.map(({ skill, ...row }) => ({ ...row, hint: hintOf(skill) })),
    ...Array.from({ length: noMatch }, (_, index) => ({
      _id: `n${String(index + 1).padStart(3, '0')}`,
      text: '',
      style: STYLES[index % STYLES.length]!,
      hint: { task: 'Something that your users ask for and no skill of the catalog covers.' },
    })),
  ];
  return {
    'queries.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    'qrels.tsv': [
      'query-id\tcorpus-id\tscore\n',
      ...answerable.map(({ _id, skill }) => `${_id}\t${skill.id}\t3\n`),
    ].join(''),
    'README.md': GUIDE,
  };
}

function hintOf(skill: TemplateSkill): Record<string, unknown> {
  const { id, name, description, headings } = skill;
  const characters = [...description.replaceAll(/\s+/g, ' ').trim()];
  const short =
    characters.length <= HINTED_DESCRIPTION
      ? characters.join('')
      : `${characters.slice(0, HINTED_DESCRIPTION - 1).join('')}…`;
  return { skill: id, name, description: short, headings: headings.slice(0, HINTED_HEADINGS) };
}

const GUIDE = `# How to label these queries

\`queries.jsonl\` has one row per query. Each row names a skill of your catalog in \`hint\`; its \`text\` is empty.
\`qrels.tsv\` lists which skills answer which query. Fifty queries take about an hour.

1. **Write the text** as a person would who has never seen the skill. Do not use the skill's name, and avoid words of
   its description that you would not use yourself. Write one request per row, in the row's style:
   - \`agent\`: an agent's short search intent ("rotate expired TLS certificates on nginx").
   - \`user\`: a person's request in full sentences, with details.
   - \`problem\`: what is wrong or wanted, without the method that solves it.
2. **Rows \`n…\` have no answer**: ask for something that your users want and no skill covers. They test
   whether the search reports that nothing fits. Leave them out of \`qrels.tsv\`.
3. **Grade**: 3 answers the request fully, 2 helps with a large part, 1 is on the same topic. Each drawn skill has
   grade 3 already. For other skills that fit, add a line (query-id, tab, skill id, tab, grade). To see candidates:
   \`skillgate search "<the text>"\`.
4. **Several skills**: where a request needs two or more skills together, grade each 3 and write their
   number into the query's row: \`"parts": 2\`.
5. **Measure**: \`skillgate eval --queries queries.jsonl --qrels qrels.tsv\`. Rows without text are skipped, so you
   can measure at any time. \`hint\` is ignored.
`;
