import { describe, expect, it } from 'vitest';
import { asSet, switchesIn } from '../../../extensions/authoring/rules.ts';
import { diagnose } from '../../../src/skills/diagnostics.ts';

describe('a skillgate-disable comment', () => {
  it.each([
    ['<!-- skillgate-disable link-dead, when-missing -->', ['link-dead', 'when-missing']],
    ['# skillgate-disable name-folder', ['name-folder']],
    ['// skillgate-disable secret-found', ['secret-found']],
    ['Write a skillgate-disable comment here.', []],
  ])('switches the rules off that it names: %s', (text, off) => {
    expect(switchesIn(`One.\n${text}\n`, 'a.md')).toEqual({ off, unknown: [] });
  });

  it('that names no rule is an error at its place', () => {
    const { unknown } = switchesIn('One.\n\n <!-- skillgate-disable link-ded -->\n', 'a.md');
    expect(unknown.map(({ id, severity, position }) => [id, severity, position])).toEqual([
      ['rule-unknown', 'error', { line: 3, column: 2 }],
    ]);
  });
});

it('the configuration switches a rule off, or gives it another severity', () => {
  const found = diagnose('link-dead', 'a.md', 'Gone.');
  expect(asSet(found, { 'link-dead': 'off' })).toBeNull();
  expect(asSet(found, { 'link-dead': 'error' })).toEqual({ ...found, severity: 'error' });
  expect(asSet(found, {})).toBe(found);
});
