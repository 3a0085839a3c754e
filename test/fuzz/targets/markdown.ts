/** Any text as Markdown: its sections cover all lines in order, without gap or overlap. */

import assert from 'node:assert/strict';
import { findSections } from '../../../src/skills/sections.ts';
import { findSuspicions } from '../../../src/skills/suspicion.ts';

const FIRST = 7;

export function fuzz(data: Buffer): void {
  const text = data.toString('utf8');
  const sections = findSections(text, FIRST);
  let next = FIRST;
  for (const { lines } of sections) {
    assert.equal(lines[0], next);
    assert.ok(lines[1] >= lines[0]);
    next = lines[1] + 1;
  }
  const lines = text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  assert.equal(next, FIRST + lines);
  for (const { line } of findSuspicions(text, 'SKILL.md')) assert.ok(line >= 1 && line <= Math.max(1, lines));
}
