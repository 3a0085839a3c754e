/**
 * `skillgate new`: writes a skill from a few answers and checks it against the catalog at once: which skills it collides with,
 * and which requests find it. The checks are those of the index, after the skill is in it.
 */

import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isInsideOf } from '../../app/config/find.ts';
import { type CommonOptions, type ProcessEnvironment, processEnvironment } from '../../app/configured.ts';
import { settingsOf } from '../../app/settings.ts';
import { collisionsWith } from '../../authoring/collisions.ts';
import { faultOf } from '../../authoring/words.ts';
import { counted } from '../../mcp/text.ts';
import { entryAt, search } from '../../search/search.ts';
import { folderForNew } from '../../sources/scan/folder-for-new.ts';
import { projectFolders } from '../../sources/scan/roots.ts';
import { CliError } from '../exit-codes.ts';
import { clip, colours, print, printJson, say, width } from '../output.ts';
import { requestsIn } from './requests.ts';
import { withLibrary } from './with-gateway.ts';

export interface NewOptions extends CommonOptions {
  /** What the skill does, and when to use it, one sentence each. */
  readonly does?: string;
  readonly when?: string;
  /** What it is not for. */
  readonly not?: string;
  readonly request?: readonly string[];
  readonly queries?: string;
  /** Folder of skills that it is written to. */
  readonly dir?: string;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Hits that are looked at for each request. */
const DEPTH = 50;

interface Answers {
  readonly does: string;
  readonly when: string;
  readonly not: string;
  readonly requests: readonly string[];
}

export async function create(name: string, options: NewOptions): Promise<void> {
  if (!NAME.test(name) || name.length > 64)
    throw new CliError(
      'USAGE',
      `"${name}" is not a valid skill name: use up to 64 lower-case letters, digits and single hyphens.`,
    );
  const environment = processEnvironment();
  const { folder: dir, why } = await placeOf(options, environment);
  const folder = join(dir, name);
  if (existsSync(folder)) throw new CliError('USAGE', `${folder} exists already, and nothing was written.`);
  const answers = await answersOf(options);
  const description = describe(answers);
  const fault = faultOf(description);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'SKILL.md');
  writeFileSync(file, textOf(name, description, answers), { flag: 'wx' });
  const skills = options.skills?.map((given) => resolve(environment.cwd, given));
  const withNew =
    skills === undefined || skills.includes(dir) ? options : { ...options, skills: [...skills, dir] };
  const { id, collisions, requests } = await withLibrary(withNew, async (library) => {
    await library.update();
    const index = await library.current();
    const { reader } = index;
    const ordinal = reader.ordinalsByKey().find((each) => isSame(entryAt(reader, each).folder, folder));
    if (ordinal === undefined)
      throw new CliError(
        'FAILED',
        `${file} was written, but no source of skillgate holds ${dir}: add it with --skills ${dir}.`,
      );
    const own = reader.key(ordinal);
    const found = [];
    for (const query of answers.requests) {
      const { hits } = await search({ query, limit: DEPTH }, index);
      const rank = hits.find(({ entry, twins }) => entry.id === own || twins.includes(own))?.rank ?? null;
      found.push({ request: query, rank, first: hits[0]?.entry.id ?? null });
    }
    return { id: own, collisions: await collisionsWith(index, ordinal), requests: found };
  });
  if (options.json === true) {
    printJson({ id, file, why, description, fault, collisions, requests });
    return;
  }
  print(`Wrote ${file}: ${why}.`);
  if (fault === 'vague')
    say(colours.yellow('Its description fits almost any request: name what it works on and what comes out.'));
  if (fault === 'no-when') say(colours.yellow('Its description does not say when to use it: add --when.'));
  if (collisions.length === 0) print('No skill of the catalog is hard to tell apart from it.');
  for (const { other, closeness } of collisions)
    print(
      `${colours.yellow('Collides')} with ${other} (${closeness.toFixed(3)}): say in both what only that skill does.`,
    );
  if (requests.length > 0)
    print(
      `First for ${requests.filter(({ rank }) => rank === 1).length} of ${counted(requests.length, 'request')}:`,
    );
  for (const { request, rank, first } of requests) {
    const where =
      rank === null
        ? `not found, first ${first ?? 'nothing'}`
        : rank === 1
          ? 'first'
          : `rank ${rank}, first ${first}`;
    print(`  ${clip(request, Math.max(20, width() - where.length - 5))}  ${colours.dim(where)}`);
  }
}

/** The folder that was named, else that of `folderForNew`, and why. */
async function placeOf(
  options: NewOptions,
  environment: ProcessEnvironment,
): Promise<ReturnType<typeof folderForNew>> {
  const { cwd, home } = environment;
  if (options.dir !== undefined) return { folder: resolve(cwd, options.dir), why: 'you named it' };
  if (options.skills?.[0] !== undefined)
    return { folder: resolve(cwd, options.skills[0]), why: 'the first folder of --skills' };
  const { roots } = await settingsOf(options, environment);
  const found = folderForNew(
    roots.map(({ root }) => root),
    environment,
  );
  const project = projectFolders(environment).at(-1) ?? cwd;
  if (!isInsideOf(realpathSync(project), found.folder, home))
    throw new CliError(
      'USAGE',
      `${found.folder} leads out of this project. Name it with --dir if the skill belongs there.`,
    );
  return found;
}

/** The folder of an entry is a real path. */
const isSame = (found: string, folder: string) => found === realpathSync(folder);

async function answersOf(options: NewOptions): Promise<Answers> {
  const { does, when, not = '', request = [], queries } = options;
  const asked = queries === undefined ? [] : await requestsIn(queries);
  if (does !== undefined) return { does, when: when ?? '', not, requests: [...request, ...asked] };
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true)
    throw new CliError(
      'USAGE',
      'Nobody can be asked here: say with --does what the skill does, and with --when when to use it.',
    );
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const ask = async (question: string) => (await prompt.question(`${question}\n> `)).trim();
  try {
    return {
      does: await ask(
        'What does the skill do, with a verb and its object? (Finds slow queries in PostgreSQL.)',
      ),
      when:
        when ??
        (await ask(
          'When should it be used, in the words of its users? (a page is slow, a report times out)',
        )),
      not: not === '' ? await ask('What is it not for? (empty to leave it out)') : not,
      requests: [
        ...request,
        ...asked,
        ...(await ask('Requests that should find it, with | between them: (empty for none)')).split('|'),
      ].flatMap((text) => (text.trim() === '' ? [] : [text.trim()])),
    };
  } finally {
    prompt.close();
  }
}

/** What, then when, as docs/authoring.md advises. */
function describe({ does, when }: Answers): string {
  const use = when === '' || /^use\b/i.test(when) ? when : `Use when ${when}`;
  return [does, use]
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')
    .map((sentence) => (/[.!?。！？]$/u.test(sentence) ? sentence : `${sentence}.`))
    .join(' ');
}

function textOf(name: string, description: string, { when, not }: Answers): string {
  const title = name.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase());
  const sections = [
    `# ${title}`,
    'Write here what the agent should do, step by step.',
    ...(when === '' ? [] : ['## When to use', when]),
    ...(not === '' ? [] : ['## When not to use', not]),
  ];
  // JSON strings are YAML strings.
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${sections.join('\n\n')}\n`;
}
