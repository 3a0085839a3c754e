import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureMass } from '../../../../src/mcp/tools/query-mass.ts';
import { summarise } from '../../../../src/mcp/tools/summary.ts';

const line = (description: string, words: readonly string[] = [], most = 170) =>
  summarise(description, most, (text) =>
    measureMass(
      text,
      words.map((term) => ({ term, weight: 1 })),
    ),
  );
const FILLER =
  'It follows the conventions of the team and keeps a record of every step that was taken so far. ';

describe('summaryOf', () => {
  it('keeps a short description whole, on one line, ended with a full stop', () => {
    expect(line('Fill in\n  PDF forms')).toBe('Fill in PDF forms.');
    expect(line('')).toBe('');
  });

  it('keeps what the skill does and when to use it, and drops what is between', () => {
    const description = `Fills in PDF forms. ${FILLER.repeat(3)}Use when a form has fields.`;
    expect(line(description)).toBe('Fills in PDF forms. Use when a form has fields.');
  });

  it('shortens both to whole phrases where they are too long, and never loses the "Use when"', () => {
    const description = `Fills in PDF forms, ${'checks every field twice, '.repeat(10)}and saves. Use when a form has fields, ${'a table is empty, '.repeat(12)}or a box is open.`;
    const text = line(description);
    expect(text).toMatch(/^Fills in PDF forms.*… Use when a form has fields.*…$/);
    expect(text.length).toBeLessThanOrEqual(170);
    expect(text).not.toMatch(/,[.…]/);
  });

  it('adds the sentence nearest to the query', () => {
    const description = `Works with documents. ${FILLER.repeat(3)}Flattens a zebra. Use when asked for it. ${FILLER}`;
    expect(line(description, ['zebra'])).toBe(
      'Works with documents. Flattens a zebra. Use when asked for it.',
    );
    expect(line(description)).toBe('Works with documents. Use when asked for it.');
  });

  it('does not take a reason against the skill for a reason to use it', () => {
    const description = `Deploys a service. Do not use when the cluster is down. ${FILLER.repeat(2)}Use for releases.`;
    expect(line(description)).toContain('Deploys a service. Use for releases.');
  });

  it('takes abbreviations and versions for parts of a sentence', () => {
    const description = `Reads tables, e.g. Excel 97. ${FILLER.repeat(3)}`;
    expect(line(description)).toMatch(/^Reads tables, e\.g\. Excel 97\./);
  });

  it('makes no false sentence of a cut list', () => {
    const description =
      'Gets legitimate e-mail into the inbox: checks and repairs SPF, DKIM and DMARC records, reads bounce codes. Use when newsletters land in spam.';
    expect(line(description, [], 100)).toMatch(/repairs SPF… Use when newsletters land in spam\.$/);
  });

  it('closes no parenthesis or quote that it opened and cut', () => {
    const text = line(`Handles forms (${'text fields, check boxes, '.repeat(20)}signatures) for people.`);
    expect(text).toBe('Handles forms…');
  });

  it('ends no cut sentence with a word that goes on', () => {
    const description =
      'Use Autoprompt when an operator wants a coding agent to turn one goal into a whole plan.';
    expect(line(description, [], 80)).toMatch(/turn one goal…$/);
  });

  it('is one line of at most the length, for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 1_500 }),
        fc.integer({ min: 50, max: 170 }),
        (text, most) => {
          const found = line(text, ['a'], most);
          expect(found).not.toMatch(/[\n\r\u2028]/);
          expect(found.length).toBeLessThanOrEqual(most + 1);
        },
      ),
    );
  });
});
