/** One skill's folder while its files are being collected: their sizes, kinds and the stamp made of them. */

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { diagnose } from '../../skills/diagnostics.ts';
import { fileKind, mimeTypeOf } from '../../skills/files.ts';
import type { Diagnostic, SkillFile } from '../../skills/skill.ts';
import type { SkillFolder } from '../entry.ts';

/** Files listed of one skill: the protocol's Skills extension allows 512. */
export const MAX_FILES = 512;

export class SkillFolderDraft {
  /** Real path. */
  readonly folder: string;
  /** Below the source's root. */
  readonly path: string;
  readonly #file: string;
  readonly #files: SkillFile[] = [];
  /** Modification time and mode of each file, by path. */
  readonly #states = new Map<string, string>();
  readonly #diagnostics: Diagnostic[] = [];
  #unlisted = 0;

  constructor(folder: string, path: string, file: string) {
    this.folder = folder;
    this.path = path;
    this.#file = file;
    this.add(folder, file);
  }

  /** The skill file's path below the source's root. */
  get skillPath(): string {
    return this.#below(this.#file);
  }

  /** Adds the file `name` of `directory`, which lies in the skill's folder. */
  add(directory: string, name: string): void {
    const inner = directory.slice(this.folder.length + 1);
    const path = inner === '' ? name : `${inner.replaceAll('\\', '/')}/${name}`;
    if (path === this.#file && this.#files.length > 0) return;
    if (this.#files.length === MAX_FILES) {
      this.#unlisted += 1;
      return;
    }
    try {
      const stats = statSync(join(directory, name));
      this.#states.set(path, `${stats.mtimeMs} ${stats.mode}`);
      this.#files.push({ path, size: stats.size, kind: this.#kindOf(path), mimeType: mimeTypeOf(path) });
    } catch (error) {
      const message = `The file cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
      this.#diagnostics.push(
        diagnose('file-unreadable', this.#below(path), message, { mend: 'Check its permissions.' }),
      );
    }
  }

  /** The folder as the catalog keeps it; null where the skill file itself was gone before it could be looked at. */
  finish(source: string, id: string): { folder: SkillFolder | null; diagnostics: readonly Diagnostic[] } {
    const diagnostics = [...this.#diagnostics];
    if (this.#unlisted > 0) {
      const message = `The skill has ${MAX_FILES + this.#unlisted} files; ${MAX_FILES} are listed.`;
      diagnostics.push(
        diagnose('files-too-many', this.path || '.', message, { mend: 'Split the skill, or remove files.' }),
      );
    }
    const [skillFile, ...others] = this.#files;
    if (skillFile?.path !== this.#file) return { folder: null, diagnostics };
    const files = [skillFile, ...others.sort((a, b) => (a.path < b.path ? -1 : 1))];
    const folder: SkillFolder = {
      id,
      source,
      uri: `skill://${source}/${id.split('/').map(encodeURIComponent).join('/')}/SKILL.md`,
      folder: this.folder,
      file: this.#file,
      files,
      stamp: this.#stamp(source, files),
    };
    return { folder, diagnostics };
  }

  #kindOf(path: string): SkillFile['kind'] {
    if (path === this.#file) return 'skill';
    // A second spelling of SKILL.md beside the first is a document like any other.
    const kind = fileKind(path);
    return kind === 'skill' ? 'reference' : kind;
  }

  #stamp(source: string, files: readonly SkillFile[]): string {
    const hash = createHash('sha256').update(`${source}\0${this.folder}\0`);
    for (const { path, size } of files) hash.update(`${path}\0${size}\0${this.#states.get(path)}\0`);
    return hash.digest('base64url').slice(0, 22);
  }

  #below(path: string): string {
    return this.path === '' ? path : `${this.path}/${path}`;
  }
}
