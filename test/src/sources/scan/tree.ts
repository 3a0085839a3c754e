/** Directory trees for tests: written to a fresh temporary directory, removed after each test. */

import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { temporaryFolder } from '../../../temporary-folder.ts';

/** Contents by path; `{ to }` is a symbolic link, null an empty directory. */
export type Tree = Readonly<Record<string, string | Uint8Array | { readonly to: string } | null>>;

const made: string[] = [];

afterEach(() => {
  for (const root of made.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** The real path of the directory. */
export function plant(tree: Tree): string {
  const root = realpathSync(temporaryFolder());
  made.push(root);
  add(root, tree);
  return root;
}

export function add(root: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const at = join(root, path);
    mkdirSync(content === null ? at : dirname(at), { recursive: true });
    if (content === null) continue;
    if (typeof content === 'object' && 'to' in content) symlinkSync(content.to, at);
    else writeFileSync(at, content);
  }
}

/** A valid skill file. */
export function skillText(name: string, body = 'Pour.\n'): string {
  return `---\nname: ${name}\ndescription: Brews ${name}.\n---\n${body}`;
}
