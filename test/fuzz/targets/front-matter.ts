/** Bytes as a SKILL.md: parsing never throws, and a fixed text is one that needs no more fixing. */

import assert from 'node:assert/strict';
import { fixedText } from '../../../extensions/authoring/fix.ts';
import { parseSkill } from '../../../src/skills/parse.ts';

const WHERE = { path: 'SKILL.md', folder: 'some-skill' };

export function fuzz(data: Buffer): void {
  const skill = parseSkill(data, WHERE);
  assert.equal(typeof skill.name, 'string');
  for (const { position } of skill.diagnostics) assert.ok(position === undefined || position.line >= 1);
  const fixed = fixedText(data, WHERE);
  if (fixed === null) return;
  assert.ok(fixed.fixed.length > 0);
  assert.equal(fixedText(Buffer.from(fixed.text), WHERE), null);
}
