import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDataset } from '../../../extensions/lab/beir.ts';
import { makeTemplate, type TemplateSkill } from '../../../extensions/lab/template.ts';

const FILES = { name: 'set', queries: 'queries.jsonl', qrels: 'qrels.tsv' };

function skill(number: number): TemplateSkill {
  return {
    id: `team/skill-${number}`,
    name: `skill-${number}`,
    description: 'Does\n  something. '.repeat(20),
    headings: ['1', '2', '3', '4', '5', '6', '7', '8'],
  };
}

const skills = Array.from({ length: 30 }, (_, number) => skill(number));

describe('makeTemplate', () => {
  it('asks for one query a skill, styles in turn, and for some that nothing answers', () => {
    const template = makeTemplate(skills, { count: 6, noMatch: 2 });
    const rows = template['queries.jsonl']
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map((row) => [row._id, row.style, row.text])).toEqual([
      ['q001', 'agent', ''],
      ['q002', 'user', ''],
      ['q003', 'problem', ''],
      ['q004', 'agent', ''],
      ['q005', 'user', ''],
      ['q006', 'problem', ''],
      ['n001', 'agent', ''],
      ['n002', 'user', ''],
    ]);
    expect(new Set(rows.slice(0, 6).map((row) => row.hint.skill)).size).toBe(6);
  });

  it('hints on one line, briefly', () => {
    const [first] = makeTemplate([skill(1)])['queries.jsonl'].split('\n');
    const { hint } = JSON.parse(first!);
    expect(hint.headings).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(hint.description).toMatch(/^Does something\. Does [^\n]*…$/);
    expect(hint.description.length).toBe(240);
  });

  it('draws the same rows for one seed in any order of the skills, and others for another seed', () => {
    const once = makeTemplate(skills, { count: 10, seed: 5 });
    expect(makeTemplate([...skills].reverse(), { count: 10, seed: 5 })).toEqual(once);
    expect(makeTemplate(skills, { count: 10, seed: 6 })['qrels.tsv']).not.toBe(once['qrels.tsv']);
  });

  it('takes every skill where there are fewer than requested', () => {
    const qrels = makeTemplate(skills.slice(0, 4))['qrels.tsv'].trim().split('\n').slice(1);
    expect(qrels.map((line) => line.split('\t')[1]).sort()).toEqual(
      skills.slice(0, 4).map((drawn) => drawn.id),
    );
  });

  it('is a dataset once texts are filled in, with each drawn skill as the answer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 3 }), (count, noMatch) => {
        const template = makeTemplate(skills, { count, noMatch });
        const empty = parseDataset(FILES, template['queries.jsonl'], template['qrels.tsv']);
        expect(empty.queries).toHaveLength(0);
        const filled = template['queries.jsonl'].replaceAll('"text":""', '"text":"words"');
        const dataset = parseDataset(FILES, filled, template['qrels.tsv']);
        expect(dataset.queries).toHaveLength(count + noMatch);
        expect(dataset.qrels.size).toBe(count);
        expect(dataset.notes).toEqual([]);
      }),
    );
  });
});
