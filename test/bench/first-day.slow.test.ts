/**
 * Requests of a first day over the example skills and a few of the kind that people install, with and without a skill that
 * fits: what is claimed where only the words around the subject match.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Corpus, openCorpus } from '../../bench/corpus.ts';
import { EXAMPLE_SKILLS, MODELS } from '../../bench/paths.ts';
import { scanOnce, sourcesOf } from '../../bench/sources.ts';
import type { Reader } from '../../index/reader/reader.ts';
import { openEmbedder } from '../../src/search/embedding/open.ts';
import { search } from '../../src/search/search.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Written for this test. Each names what it does, and its body says it again in steps. */
const INSTALLED: Readonly<Record<string, string>> = {
  'standup-meeting':
    'Writes the daily standup of a team: what each person did, does next and is blocked by. Use this skill when the team meets or writes an update.',
  'internal-comms':
    'Writes internal communications of a company: newsletters, announcements and team updates. Use this skill when someone has to write to colleagues.',
  'user-guide-writing':
    'Writes guides for the users of a product, page by page. Use when documentation is missing.',
  'team-onboarding': 'Plans the first weeks of a new member of the team and writes the checklist for it.',
  'react-native-lists':
    'Fixes janky scrolling of long lists in React Native: measures dropped frames and tunes FlatList. Use for slow lists in apps.',
  'gha-security-review':
    'Reviews GitHub Actions workflows for security vulnerabilities: untrusted input in run steps, permissions of tokens, pinned actions.',
  'kernel-ts-sdk':
    'Builds browser automation on the Kernel SDK for TypeScript: browsers, sessions and pools.',
  'dependency-upgrade':
    'Upgrades the dependencies of a project after reading their changelogs, one at a time, with tests.',
  'pull-request-writing':
    'Writes the title and description of a pull request from its commits. Use when opening a pull request.',
};
/** The ones that fit. */
const FITTING: Readonly<Record<string, string>> = {
  'skill-creator':
    'Creates new skills and improves existing ones: name, description, instructions and tests. Use this skill when users want to write a skill or make one trigger reliably.',
  'linux-boot-recovery':
    'Recovers Linux machines that do not boot: kernel panic, broken initramfs or GRUB after an upgrade of Ubuntu, Debian or Fedora.',
  'security-code-review':
    'Reviews code changes and pull requests for security vulnerabilities: injection, broken access control, leaked secrets.',
  'flutter-performance':
    'Fixes jank in Flutter apps: slow scrolling of lists, dropped frames and rebuilds of widgets.',
};

let corpus: Corpus;
const readers: Record<'without' | 'with', Reader | null> = { without: null, with: null };

beforeAll(async () => {
  const root = temporaryFolder();
  for (const [name, description] of Object.entries({ ...INSTALLED, ...FITTING })) {
    mkdirSync(join(root, name));
    const steps = description.split(/[:.,]\s*/).filter((step) => step !== '');
    const body = `# ${name.replaceAll('-', ' ')}\n\n${steps.map((step, at) => `${at + 1}. ${step}.`).join('\n')}\n`;
    writeFileSync(
      join(root, name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: "${description}"\n---\n\n${body}`,
    );
  }
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  corpus = await openCorpus(scanOnce(sourcesOf([EXAMPLE_SKILLS, root])), embedder);
  const { reader } = corpus;
  const all = reader.accept([]);
  const accept = all.map((_, ordinal) => Number(!(reader.key(ordinal).split('/').at(-1)! in FITTING)));
  readers.with = reader;
  readers.without = reader.restrictedTo(accept);
}, 120_000);
afterAll(() => corpus?.close());

async function ask(query: string, where: 'without' | 'with') {
  const { fit, hits } = await search(
    { query, limit: 5 },
    { reader: readers[where]!, embedder: corpus.embedder, now: () => 0 },
  );
  return { fit: fit ?? 0, names: hits.map(({ entry }) => entry.name) };
}

// A skill that reviews security elsewhere is claimed for "review pull request for security vulnerabilities" if no other is near.
describe('a request whose subject no skill has', () => {
  it.each([
    ['write a skill for my team'],
    ['kernel panic after upgrade on ubuntu'],
    ['fix janky list scrolling in flutter'],
    ['test whether a skill works'],
  ])('does not claim that a skill fits: %s', async (query) => {
    expect((await ask(query, 'without')).fit).toBeLessThan(0.5);
  });
});

describe('the same request where a skill fits', () => {
  it.each([
    ['write a skill for my team', 'skill-creator'],
    ['kernel panic after upgrade on ubuntu', 'linux-boot-recovery'],
    ['fix janky list scrolling in flutter', 'flutter-performance'],
    ['review pull request for security vulnerabilities', 'security-code-review'],
  ])('finds it first, and claims that it fits: %s', async (query, name) => {
    const { fit, names } = await ask(query, 'with');
    expect(names[0]).toBe(name);
    expect(fit).toBeGreaterThanOrEqual(0.5);
  });
});

describe('the word "skill"', () => {
  it('is the subject of a request whose other words say little', async () => {
    const { names } = await ask('test whether a skill works', 'with');
    expect(names[0]).toBe('skill-creator');
  });

  it('changes nothing where it only introduces what is wanted', async () => {
    for (const task of ['reading invoices', 'csv files', 'interview notes']) {
      const [asked, introduced] = [
        await ask(task, 'with'),
        await ask(`is there a skill for ${task}`, 'with'),
      ];
      expect(introduced.names[0]).toBe(asked.names[0]);
    }
  });
});
