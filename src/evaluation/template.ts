/**
 * A test set to fill in, drawn from a team's own skills: it says for which skill to write a request and in which
 * style, and leaves the words to people. `readDataset` reads the result, finished or half-finished.
 */

import { seeded, shuffled } from './random.ts';

/** What a writer needs to know of a skill, to ask for it without having read it. */
export interface TemplateSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The body's headings, in order. */
  readonly headings: readonly string[];
}

export interface TemplateOptions {
  /** Queries that have an answer, one a skill. Default 50: about an hour's work. */
  readonly count?: number;
  /** Queries that no skill answers. Default 10. */
  readonly noMatch?: number;
  /** Default 1. The same skills and seed give the same template, whatever the order of the skills. */
  readonly seed?: number;
}

/** File contents by file name. */
export interface Template {
  readonly 'queries.jsonl': string;
  readonly 'qrels.tsv': string;
  readonly 'README.md': string;
}

/** In turn, so that a cut-off set stays balanced. */
const STYLES = ['agent', 'user', 'problem'] as const;

const HINTED_HEADINGS = 6;
/** Characters: enough for two sentences. */
const HINTED_DESCRIPTION = 240;

/** Draws skills without replacement; where there are fewer than `count`, all of them. */
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
      hint: { task: 'Something your people ask for that no skill of the catalog covers.' },
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

\`queries.jsonl\` has one row a query. Each names a skill of your catalog in \`hint\` and waits for its \`text\`.
\`qrels.tsv\` says which skills answer which query. An hour is enough for fifty.

1. **Write the text** as somebody would ask who has never seen the skill. Do not use the skill's name, and avoid
   the words of its description where you would not say them yourself. One row, one request, in the row's style:
   - \`agent\`: an agent's short search intent ("rotate expired TLS certificates on nginx").
   - \`user\`: a person's request in full sentences, with the details that they would give.
   - \`problem\`: what is wrong or wanted, without naming the method that solves it.
2. **Rows \`n…\` have no answer**: ask for something that your people do want and that no skill covers. They test
   whether the search says so. Leave them out of \`qrels.tsv\`.
3. **Grade**: 3 answers the request squarely, 2 helps with a large part, 1 is on the same topic. Each drawn skill is
   entered with 3. Where others fit too, add a line (query-id, tab, skill id, tab, grade). To see candidates:
   \`skillgate search "<the text>"\`.
4. **Several at once**: where a request needs two or more skills together, give each 3 and say how
   many in the query's row: \`"parts": 2\`.
5. **Measure**: \`skillgate eval --queries queries.jsonl --qrels qrels.tsv\`. Rows without text are left out, so you
   can measure as you go. \`hint\` is ignored.
`;
