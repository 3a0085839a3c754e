/** `skillgate demo`: an agent's three steps (search, load, read) on the bundled example skills. Writes nothing to disk. */

import { join } from 'node:path';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { openLibrary } from '../../app/open-library.ts';
import { packageRoot } from '../../app/package-root.ts';
import { counted } from '../../base/text.ts';
import { openGateway } from '../../gateway/pipeline.ts';
import { colours, print, sameSkills } from '../output.ts';
import { showSkill } from './load.ts';
import { showFile } from './read.ts';
import { showAnswer } from './search.ts';

/** In the words of a user, in the words of an agent, and one that a reference file answers. */
const QUESTIONS = [
  'the build was fine last month and now it is broken, which change did it?',
  'find slow queries and missing indexes in PostgreSQL',
  'Microsoft returns 550 5.7.515 to our bulk mails although SPF passes. What is missing?',
];

const HITS = 3;
/** Tokens shown of a skill and of a file. */
const EXCERPT_TOKENS = 220;

export async function demo(): Promise<void> {
  const root = join(packageRoot(), 'examples', 'skills');
  const settings = {
    roots: [{ name: 'examples', root }],
    indexFolder: '',
    cacheFolder: '',
    embedder: undefined,
    vectors: 'auto',
  } as const;
  const library = await openLibrary(settings, { log: print, directory: memoryDirectory() });
  try {
    const gateway = openGateway(library);
    const report = await library.update();
    print(
      `Indexed ${counted(report.skills, 'skill')}, ${counted(report.passages, 'passage')}, in ${Math.round(report.tookMs)} ms.`,
    );
    for (const query of QUESTIONS) {
      step(`search_skills("${query}")`);
      const { nextCursor: _, ...answer } = await gateway.search({ query, limit: HITS });
      showAnswer(answer);
    }
    const { hits } = await gateway.search({ query: QUESTIONS[2]!, limit: 1 });
    const found = hits[0]!;
    step(`load_skill("${found.entry.id}")`);
    const skill = await gateway.load({ skill: found.entry.id, maxTokens: EXCERPT_TOKENS });
    const options = sameSkills({ skills: [root] });
    showSkill(skill, options);
    const reference = found.evidence.find(({ path }) => path !== found.entry.file);
    const path = reference?.path ?? found.entry.references[0] ?? found.entry.file;
    step(`read_reference("${found.entry.id}", "${path}")`);
    const lines = reference?.path === path ? { lines: reference.lines } : {};
    const file = await gateway.read({ skill: found.entry.id, path, maxTokens: EXCERPT_TOKENS, ...lines });
    showFile(file, found.entry.id, options);
  } finally {
    await library.close();
  }
}

function step(call: string): void {
  print('');
  print(colours.bold(colours.cyan(call)));
}
