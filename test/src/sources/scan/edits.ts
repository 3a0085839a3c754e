/** Random edits of a directory tree, and the paths that a watcher would report. */

import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { skillText } from './tree.ts';

export type Edit =
  | { readonly kind: 'write'; readonly path: string; readonly text: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'move' | 'copy'; readonly path: string; readonly to: string };

const name = fc.constantFrom('a', 'b', 'c', 'SKILL.md', 'SKILL.md', '.h', 'node_modules');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const text = fc.constantFrom(
  '',
  skillText('tea'),
  skillText('tea', 'Steep.\n'),
  skillText('coffee'),
  '---\nname: off\nenabled: false\n---\n',
  'No front matter.',
);

/** Uses few names, so that edits collide. */
export const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), path, text }),
  fc.record({ kind: fc.constant('remove' as const), path }),
  fc.record({ kind: fc.constantFrom('move' as const, 'copy' as const), path, to: path }),
);

/** Applies the edit as far as the tree allows. Returns the absolute paths that may have changed. */
export function apply(root: string, one: Edit): string[] {
  const at = join(root, one.path);
  const to = 'to' in one ? join(root, one.to) : at;
  try {
    if (one.kind === 'remove') rmSync(at, { recursive: true, force: true });
    else {
      mkdirSync(dirname(to), { recursive: true });
      if (one.kind === 'write') writeFileSync(at, one.text);
      else if (one.kind === 'move') renameSync(at, to);
      else cpSync(at, to, { recursive: true });
    }
  } catch {
    // A directory where a file should be, or nothing to move.
  }
  return [...new Set([at, to])];
}
