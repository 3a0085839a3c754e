/** Collects the files of one skill's folder, with their sizes and kinds, and computes the stamp. */

import { hash } from 'node:crypto';
import { lstatSync, statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { errorMessage } from '../../base/errors.ts';
import { diagnose } from '../../skills/diagnostics.ts';
import { fileKind } from '../../skills/files.ts';
import type { Diagnostic, SkillFile } from '../../skills/skill.ts';
import { MAX_FILES, MAX_PUBLISHED_FILES, type SkillFolder } from '../source.ts';

/** Ids that need no percent-encoding: most of them. */
const PLAIN = /^[\w.~/-]*$/;

/** How a file was found. */
export interface FoundEntry {
  /** A path to its directory that can be used now. */
  readonly at: string;
  /** Real path, if it is a link. */
  readonly target: string | null;
}

export class SkillFolderBuilder {
  /** Real path. */
  readonly folder: string;
  /** Below the source's root. */
  readonly path: string;
  readonly #file: string;
  readonly #files: SkillFile[] = [];
  /** Path, size, modification time and mode of each file. */
  readonly #states: string[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  /** Links among the files, and where each leads, below the folder and with `/`. */
  readonly #links = new Map<string, string>();
  #unlisted = 0;

  /** `file` is the skill file's name; `entry` as for `add`. */
  constructor(folder: string, path: string, file: string, entry: FoundEntry) {
    this.folder = folder;
    this.path = path;
    this.#file = file;
    this.add(folder, file, entry);
  }

  /** The skill file's path below the source's root. */
  get skillPath(): string {
    return this.#below(this.#file);
  }

  /** Adds the file `name` of `directory`, which lies in the skill's folder. */
  add(directory: string, name: string, { at, target }: FoundEntry): void {
    const inner = directory.slice(this.folder.length + 1);
    const path = inner === '' ? name : `${inner.replaceAll('\\', '/')}/${name}`;
    if (path === this.#file && this.#files.length > 0) return;
    if (this.#files.length === MAX_FILES) {
      this.#unlisted += 1;
      return;
    }
    try {
      // With `throwIfNoEntry` Node prepares a stack trace in each call, which slows it down.
      const look = target === null ? lstatSync : statSync;
      const stats = look(at + sep + name, { throwIfNoEntry: false });
      if (!stats?.isFile()) throw new Error('it is gone');
      if (target !== null) this.#links.set(path, relative(this.folder, target).replaceAll('\\', '/'));
      const { size, mtimeMs, mode } = stats;
      this.#states.push(`${path}\0${size}\0${mtimeMs} ${mode}`);
      this.#files.push({ path, size, kind: this.#kindOf(path) });
    } catch (error) {
      const message = `The file cannot be read: ${errorMessage(error)}.`;
      this.#diagnostics.push(
        diagnose('file-unreadable', this.#below(path), message, { fix: 'Check its permissions.' }),
      );
    }
  }

  /** The finished folder; null if the skill file vanished during the scan. */
  finish(source: string, id: string): { folder: SkillFolder | null; diagnostics: readonly Diagnostic[] } {
    const diagnostics = [...this.#diagnostics];
    if (this.#unlisted > 0) {
      const message = `The skill has ${MAX_FILES + this.#unlisted} files; ${MAX_FILES} are listed.`;
      diagnostics.push(
        diagnose('files-too-many', this.path || '.', message, { fix: 'Split the skill, or remove files.' }),
      );
    }
    if (this.#files.length > MAX_PUBLISHED_FILES) {
      const message = `The skill has ${this.#files.length} files; the Skills extension passes on at most ${MAX_PUBLISHED_FILES}.`;
      const fix = 'Split the skill, or remove files. The tools load and read all of it.';
      diagnostics.push(diagnose('files-unpublished', this.path || '.', message, { fix }));
    }
    const [skillFile, ...others] = this.#withoutStrayLinks(diagnostics);
    if (skillFile?.path !== this.#file) return { folder: null, diagnostics };
    const files =
      others.length === 0 ? [skillFile] : [skillFile, ...others.sort((a, b) => (a.path < b.path ? -1 : 1))];
    const folder: SkillFolder = {
      id,
      source,
      uri: `skill://${source}/${encoded(id)}/SKILL.md`,
      folder: this.folder,
      ...(this.path === '' ? { atRoot: true } : {}),
      file: this.#file,
      files,
      stamp: this.#stamp(source),
    };
    return { folder, diagnostics };
  }

  /** A link counts if it leads to another file of the skill: hidden files, and those of a nested skill, are not its own. */
  #withoutStrayLinks(diagnostics: Diagnostic[]): readonly SkillFile[] {
    if (this.#links.size === 0) return this.#files;
    const own = new Set(this.#files.map(({ path }) => path).filter((path) => !this.#links.has(path)));
    return this.#files.filter(({ path }) => {
      const target = this.#links.get(path);
      if (target === undefined || own.has(target)) return true;
      const message =
        'The symbolic link leads to something that is not a file of the skill, and was not followed.';
      const fix = 'Replace it with a copy of its target.';
      diagnostics.push(diagnose('link-outside', this.#below(path), message, { fix }));
      return false;
    });
  }

  #kindOf(path: string): SkillFile['kind'] {
    if (path === this.#file) return 'skill';
    // A second spelling of SKILL.md is an ordinary document.
    const kind = fileKind(path);
    return kind === 'skill' ? 'reference' : kind;
  }

  #stamp(source: string): string {
    const states = [source, this.folder, ...this.#states.sort()];
    return hash('sha256', states.join('\0'), 'base64url').slice(0, 22);
  }

  #below(path: string): string {
    return this.path === '' ? path : `${this.path}/${path}`;
  }
}

/** Percent-encoded except `/`. */
const encoded = (id: string) => (PLAIN.test(id) ? id : id.split('/').map(encodeURIComponent).join('/'));
