/**
 * `npm run bench -- shown`: how many of 330 skills each host describes to its model, by the rules that were measured in its
 * program, and how many skillgate finds in one call, each by its own description.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { measuredVersion } from '../extensions/connect/host.ts';
import { HOSTS } from '../extensions/connect/hosts.ts';
import { computeListing, type ListedSkill, toListed } from '../extensions/connect/listing.ts';
import { parseSkill } from '../src/skills/parse.ts';
import { quantile } from './evaluation/statistics.ts';
import { columns } from './evaluation/table.ts';
import { seenIn } from './hosts.ts';
import { publish } from './results-file.ts';
import { tokensIn, toolTokens, withClient } from './tokens.ts';

interface ShownOptions {
  readonly skills: string;
  readonly count: number;
  readonly program: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** Windows of the models that these hosts had in November 2026, tokens. */
const WINDOWS: Readonly<Record<string, number>> = { 'claude-code': 1_000_000, codex: 500_000 };
/** Characters of a description that are a query. */
const QUERY = 300;

export async function measureShown({ skills: root, count, program, write }: ShownOptions): Promise<void> {
  const texts = drawSkills(root, count);
  const skills: ListedSkill[] = Array.from(texts, ([name, bytes]) => ({
    ...toListed(parseSkill(bytes, { path: 'SKILL.md', folder: name })),
    file: `/home/tester/.agents/skills/${name}/SKILL.md`,
  }));
  const hosts = HOSTS.filter((host) => measuredVersion(host) !== null).map(
    ({ id, name, listing, source }) => {
      const windowTokens = WINDOWS[id];
      const report = computeListing(skills, listing, windowTokens === undefined ? {} : { windowTokens });
      // Cline lists names alone.
      const isBare = listing.entry(skills[0]!, 'x') === listing.entry(skills[0]!, '');
      const seen = skills.map((skill) => {
        if (report.refused.includes(skill.name)) return 'absent';
        return isBare ? 'name' : seenIn(skill, report, listing);
      });
      const shown = ['whole', 'shortened', 'name', 'absent'].map(
        (kind) => seen.filter((one) => one === kind).length,
      );
      return [
        name,
        ...shown.map(String),
        report.tokens.toLocaleString('en-US'),
        source.replace('measured in ', ''),
      ];
    },
  );
  const { found, prompt, answer } = await searchFor(skills, texts, program);
  const own = ['skillgate', '', String(found), '', String(count - found), `${prompt} + ${answer}`, ''];
  const head = ['way', 'whole', 'a part', 'name alone', 'absent', 'tokens', 'version'];
  await publish(
    {
      name: 'shown',
      title: `What hosts show of ${count} skills`,
      figures: columns([head, ...hosts, own], [0, 6]),
      conditions: `${count} skills of the catalog, drawn by the hash of their names. Hosts: by the rules that their recorded requests follow within 2 %; tokens of the list in every prompt, estimated at 3.6 characters. skillgate: found among the hits of one call by the first ${QUERY} characters of its description; tools and instructions in every prompt, and the answer, median.`,
    },
    write,
  );
}

/** Texts of skills by name: those whose name is valid and that of the folder, each name once. */
function drawSkills(root: string, count: number): ReadonlyMap<string, Buffer> {
  const all = new Map<string, string>();
  for (const repository of readdirSync(root))
    for (const path of readdirSync(join(root, repository), { recursive: true, encoding: 'utf8' })) {
      const name = basename(dirname(path));
      if (
        basename(path) !== 'SKILL.md' ||
        all.has(name) ||
        !/^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(name)
      )
        continue;
      const file = join(root, repository, path);
      const head = /^---\n([\s\S]*?)\n---/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
      const isNamed = new RegExp(`^name: *["']?${name}["']?$`, 'm').test(head);
      if (isNamed && /^description: *(?![|>]).{40}/m.test(head)) all.set(name, file);
    }
  const key = (name: string) => createHash('sha256').update(name).digest('hex');
  const names = [...all.keys()].sort((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, count);
  return new Map(names.map((name) => [name, readFileSync(all.get(name)!)]));
}

/** How many skills a call finds by their own descriptions, and the tokens of the prompt and of an answer. */
async function searchFor(
  skills: readonly ListedSkill[],
  texts: ReadonlyMap<string, Buffer>,
  program: string,
) {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-shown-'));
  try {
    for (const [name, bytes] of texts) {
      mkdirSync(join(folder, 'skills', name), { recursive: true });
      writeFileSync(join(folder, 'skills', name, 'SKILL.md'), bytes);
    }
    const args = [
      'serve',
      '--skills',
      join(folder, 'skills'),
      '--index',
      join(folder, 'index'),
      '--answers',
      'text',
    ];
    return await withClient([program, ...args], async (client) => {
      const answers: string[] = [];
      for (const { description } of skills) {
        const query = description.slice(0, QUERY);
        const { content } = await client.callTool({ name: 'search_skills', arguments: { query } });
        answers.push(content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'));
      }
      return {
        found: skills.filter(({ name }, at) => new RegExp(`^- ${name}:`, 'm').test(answers[at] ?? '')).length,
        prompt: (await toolTokens(client)) + tokensIn(client.getInstructions() ?? ''),
        answer: Math.round(quantile(answers.map(tokensIn), 0.5)),
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
