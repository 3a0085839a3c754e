import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameTopics, type TopicSkill } from '../../../src/catalog/topics.ts';

const skill = (name: string, description: string): TopicSkill => ({ name, description });

const CHARTS = [
  skill('bar-charts', 'Draw bar charts of CSV data. Use when the user asks for a plot.'),
  skill('line-charts', 'Draw line charts of time series. Use when the user asks for a plot.'),
  skill('pie-charts', 'Draw pie charts of shares. Use when the user asks for a plot.'),
];
const REQUESTS = [
  skill('open-pr', 'Open a pull request on GitHub. Use when the user asks for a review.'),
  skill('pr-review', 'Review a pull request on GitHub. Use when the user asks for a review.'),
  skill('pr-merge', 'Merge a pull request on GitHub. Use when the user asks for a review.'),
];
const ACCOUNTS = [
  skill('gl-close', 'Close the books with a trial balance. Use when the user asks for a report.'),
  skill('gl-journal', 'Post journals to the books. Use when the user asks for a report.'),
];
const PIPELINES = [
  skill('gh-builds', 'Build GitHub Actions runners.'),
  skill('gh-caches', 'Caches of GitHub Actions.'),
];

describe('names of topics', () => {
  it('are the words and phrases that set a group apart, written as its skills write them', () => {
    const [charts, requests, accounts] = nameTopics([CHARTS, REQUESTS, ACCOUNTS]);
    expect(charts?.terms[0]).toBe('charts');
    expect(charts?.label).toMatch(/^Charts/);
    // Two words that stand together in the group are one phrase, and capitals stay.
    expect(requests?.label).toBe('Pull request');
    expect(accounts?.label).toMatch(/^Books/);
    expect(nameTopics([PIPELINES, CHARTS])[0]?.label).toBe('GitHub Actions');
  });

  it('have no words about when to use a skill, and none that every group has', () => {
    const terms = nameTopics([CHARTS, REQUESTS, ACCOUNTS]).flatMap((topic) => topic?.terms ?? []);
    expect(terms.join(' ')).not.toMatch(/\b(?:use|user|asks|plot|report)\b/);
  });

  it('take the words of descriptions that only say when to use a skill', () => {
    const spectra = ['peaks', 'noise'].map((part) =>
      skill(`ms-${part}`, `Use when mass spectra have ${part} that should be removed from mass spectra.`),
    );
    const [topic] = nameTopics([spectra, CHARTS]);
    expect(topic?.terms).toContain('mass spectra');
  });

  it('join up to three terms as a sentence does', () => {
    const group = ['docker', 'helm', 'terraform'].flatMap((tool) =>
      ['build', 'test', 'clean'].map((verb) => skill(`${tool}-${verb}`, `Runs ${tool}.`)),
    );
    const [topic] = nameTopics([group, CHARTS, REQUESTS]);
    expect(topic?.terms).toHaveLength(3);
    expect(topic?.label).toMatch(/^\p{Lu}\S*, \S+ and \S+$/u);
  });

  it('come with a skill of the middle that uses them', () => {
    const group = [skill('house', 'Draw a house of bricks.'), ...CHARTS];
    const [topic] = nameTopics([group, REQUESTS, ACCOUNTS]);
    expect(topic?.terms).toContain('charts');
    expect(group[topic!.typical]?.name).toMatch(/-charts$/);
  });

  it('do not say what every connector does', () => {
    const connectors = ['acme', 'globex', 'initech'].map((name) =>
      skill(`oo-${name}`, `${name}: reading data, creating and updating records.`),
    );
    const [topic] = nameTopics([connectors, CHARTS]);
    expect(topic?.label ?? '').not.toMatch(/reading|updating/i);
  });

  it('are null for a group in which nothing is typical', () => {
    expect(nameTopics([[skill('one', 'Only this.')]])).toEqual([null]);
    expect(nameTopics([CHARTS, []])[1]).toBeNull();
    expect(nameTopics([])).toEqual([]);
  });

  it('take words of any script', () => {
    const group = [skill('a', '发票 识别 和 发票 归档'), skill('b', '发票 导出')];
    expect(nameTopics([group, CHARTS])[0]?.label).toContain('发票');
  });

  it('exist or not for any texts, always the same ones', () => {
    const skills = fc.record({ name: fc.string(), description: fc.string() });
    fc.assert(
      fc.property(fc.array(fc.array(skills, { maxLength: 4 }), { maxLength: 4 }), (groups) => {
        const topics = nameTopics(groups);
        expect(topics).toHaveLength(groups.length);
        expect(nameTopics(groups)).toEqual(topics);
        for (const topic of topics) expect(topic?.terms.length ?? 1).toBeGreaterThan(0);
      }),
    );
  });
});
