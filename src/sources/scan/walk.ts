/**
 * Walks a directory tree: which folders are skills, which files belong to them, where links lead. Files are listed and
 * stamped, never opened. Whatever is broken becomes a diagnostic; nothing throws.
 */

import { type Dirent, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { errorMessage, systemCode } from '../../base/errors.ts';
import { FileError, type HeldFolder, holdFolder } from '../../base/files/open.ts';
import { type DiagnosticId, diagnose } from '../../skills/diagnostics.ts';
import type { Diagnostic } from '../../skills/skill.ts';
import { isIgnoredDirectory, type Scan, type SkillFolder } from '../source.ts';
import { findRealPath, holdsSkill, isDirectory, isInside, isNothing, leadsOutside } from './real-path.ts';
import { SkillFolderBuilder } from './skill-folder.ts';

/** Levels of directories below the root that are scanned: one more than the deepest skill of the catalogs in bench/ has. */
export const MAX_DEPTH = 12;
/** From this number of directories without a skill a scan reports them: about 100 ms of work. */
const MANY_WITHOUT_SKILL = 10_000;

/**
 * - `follow`: links to files of the same skill, to directories inside the root, and from the root's top level to a skill
 *   anywhere.
 * - `none`: no link is followed. Directories are listed by a descriptor, so one that is exchanged for a link meanwhile
 *   shows nothing of where it leads.
 */
export type Links = 'follow' | 'none';

export interface WalkOptions {
  readonly links: Links;
  /** Absolute: neither the root nor a link may lead out of this folder. Default: anywhere. */
  readonly within?: string | undefined;
  /** Below the root, with `/`: walks only that directory; no skill above it may own its files. Default: the root. */
  readonly start?: string;
}

interface Pending {
  /** Real path. */
  readonly absolute: string;
  /** Below the root, with `/`; '' for the root. */
  readonly path: string;
  readonly depth: number;
  /** The skill that owns the directory's files. */
  readonly owner: SkillFolderBuilder | null;
}

/** The folder's name; that of the folder above where it is the version of a plugin (`knots/2.0.0`). */
export const folderName = (folder: string) =>
  /^v?\d+(?:\.\d+)+/.test(basename(folder)) ? basename(dirname(folder)) : basename(folder);

/** Depth-first, one directory per step, in order of name. `root` is absolute. */
export class Walk {
  readonly #source: string;
  readonly #root: string;
  readonly #links: Links;
  readonly #within: string | undefined;
  readonly #pending: Pending[] = [];
  /** Links, checked after all real directories: by then their targets may have been visited. */
  readonly #linked: Pending[] = [];
  readonly #visited = new Set<string>();
  readonly #builders: SkillFolderBuilder[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  /** Number of listed directories that belong to no skill. */
  #withoutSkill = 0;
  #tooDeep: { first: string; count: number } | null = null;
  #realRoot = '';
  #hasTies = false;

  constructor(source: string, root: string, options: WalkOptions) {
    const { links, within, start = '' } = options;
    this.#source = source;
    this.#root = root;
    this.#links = links;
    this.#within = within;
    const real = this.#realRootOf(root);
    if (real === null) return;
    this.#realRoot = real;
    const depth = start === '' ? 0 : start.split('/').length;
    this.#pending.push({ absolute: join(real, start), path: start, depth, owner: null });
  }

  /** True if a link was found that connects the walked part with other folders. */
  get linked(): boolean {
    return this.#hasTies;
  }

  /** Lists one directory; false if none is left. */
  step(): boolean {
    const next = this.#pending.pop() ?? this.#nextLink();
    if (next === undefined) return false;
    this.#list(next);
    return true;
  }

  scan(): Scan {
    if (this.#tooDeep !== null) {
      const { first, count } = this.#tooDeep;
      const message = `${count} directories more than ${MAX_DEPTH} levels down were not scanned.`;
      this.#report('folder-too-deep', first, message, 'Give a directory closer to the skills.');
    }
    if (this.#withoutSkill >= MANY_WITHOUT_SKILL && this.#withoutSkill > this.#builders.length) {
      const message = `${this.#withoutSkill} directories have no skill, and each is listed at every scan.`;
      const fix = 'Give a directory closer to the skills, or remove unused directories.';
      this.#report('folders-without-skills', '.', message, fix);
    }
    const folders: SkillFolder[] = [];
    for (const builder of this.#builders) {
      const { folder, diagnostics } = builder.finish(this.#source, this.#idOf(builder.path));
      this.#diagnostics.push(...diagnostics);
      if (folder !== null) folders.push(folder);
    }
    folders.sort((a, b) => (a.id < b.id ? -1 : 1));
    return { folders, diagnostics: this.#diagnostics };
  }

  /** A skill at the root gets the root's name as id, with `.` appended while a folder has that id. */
  #idOf(path: string): string {
    if (path !== '') return path;
    const ids = new Set(this.#builders.map((builder) => builder.path));
    let id = folderName(this.#root) || 'root';
    while (ids.has(id)) id += '.';
    return id;
  }

  #list(pending: Pending): void {
    const { absolute, path } = pending;
    // A link to a folder above the root would otherwise visit directories twice.
    const visited = this.#visited.size;
    if (this.#visited.add(absolute).size === visited) return;
    let held: HeldFolder | null = null;
    try {
      if (this.#links === 'none') held = holdFolder(absolute);
      const at = held?.at ?? absolute;
      const entries = readdirSync(at, { withFileTypes: true });
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      this.#take(entries, pending, at);
    } catch (error) {
      const reason =
        error instanceof FileError ? error.reason : `${systemCode(error) ?? errorMessage(error)}.`;
      const message = `The directory cannot be listed: ${reason}`;
      this.#report('folder-unreadable', path || '.', message, 'Check its permissions.');
    } finally {
      held?.close();
    }
  }

  /** `at` is a path by which the entries can be looked at now. */
  #take(entries: readonly Dirent[], { absolute, path, depth, owner }: Pending, at: string): void {
    const skillFile = this.#skillFileOf(entries, absolute, path);
    const builder =
      skillFile === null
        ? owner
        : new SkillFolderBuilder(absolute, path, skillFile.name, { at, target: skillFile.target });
    if (builder === null) this.#withoutSkill += 1;
    else if (builder !== owner) this.#builders.push(builder);

    const below: Pending[] = [];
    for (const entry of entries) {
      const { name } = entry;
      if (entry.isFile()) {
        if (builder !== null && !name.startsWith('.')) builder.add(absolute, name, { at, target: null });
        continue;
      }
      const isLink = entry.isSymbolicLink();
      if (!isLink && (!entry.isDirectory() || isIgnoredDirectory(name))) continue;
      const next: Pending = {
        absolute: absolute.endsWith(sep) ? absolute + name : absolute + sep + name,
        path: path === '' ? name : `${path}/${name}`,
        depth: depth + 1,
        owner: !isLink && name.startsWith('.') ? null : builder,
      };
      if (isLink) this.#checkLink(next);
      else below.push(next);
    }
    if (depth >= MAX_DEPTH && below[0] !== undefined) this.#skipDeep(below);
    // Not push(...below): a call cannot take hundreds of thousands of arguments.
    else for (const next of below.reverse()) this.#pending.push(next);
  }

  /** The exact spelling wins over others. A link counts if it leads to a file inside the directory. */
  #skillFileOf(
    entries: readonly Dirent[],
    absolute: string,
    path: string,
  ): { readonly name: string; readonly target: string | null } | null {
    const named = entries.filter(({ name }) => name.length === 8 && name.toLowerCase() === 'skill.md');
    if (named.length === 0) return null;
    const exact = named.filter(({ name }) => name === 'SKILL.md');
    for (const entry of new Set([...exact, ...named])) {
      const { name } = entry;
      const below = path === '' ? name : `${path}/${name}`;
      if (entry.isFile()) return { name, target: null };
      if (!entry.isSymbolicLink()) {
        const message = `${name} is ${entry.isDirectory() ? 'a directory' : 'a FIFO, socket or device'}.`;
        this.#report('skill-file-special', below, message, 'Put a regular file in its place.');
        continue;
      }
      if (this.#links === 'none') {
        this.#reportForbidden(below);
        continue;
      }
      this.#hasTies = true;
      const target = findRealPath(join(absolute, name));
      if (target === null || !statSync(target, { throwIfNoEntry: false })?.isFile()) continue;
      if (isInside(absolute, target)) return { name, target };
      const message = 'The skill file is a symbolic link that leaves its directory.';
      this.#report('link-outside', below, message, 'Copy the file, or link the whole folder.');
    }
    return null;
  }

  #checkLink(link: Pending): void {
    const { owner, path } = link;
    const target = findRealPath(link.absolute);
    if (this.#links === 'none') {
      const matters = owner !== null || (target !== null && isDirectory(target));
      if (matters && !isSkillFileName(path)) this.#reportForbidden(path);
      return;
    }
    if (target === null) {
      this.#hasTies = true;
      this.#report(
        'link-broken',
        path,
        'The target of the symbolic link does not exist.',
        'Remove it, or restore its target.',
      );
      return;
    }
    const stats = statSync(target, { throwIfNoEntry: false });
    if (!stats?.isFile()) this.#hasTies = true;
    if (owner === null) {
      if (stats?.isDirectory()) this.#linked.push({ ...link, absolute: target });
    } else if (!isInside(owner.folder, target)) {
      if (path === owner.skillPath || isSkillFileName(path)) return;
      const message = 'The symbolic link leaves the skill’s folder and was not followed.';
      this.#report('link-outside', path, message, 'Copy its target into the skill’s folder.');
    } else if (stats?.isFile()) {
      const directory = link.absolute.slice(0, -basename(path).length - 1);
      owner.add(directory, basename(path), { at: directory, target });
    }
  }

  #reportForbidden(path: string): void {
    const message = 'The symbolic link was not followed: links is "none" for this source.';
    const fix =
      'Replace it with a copy of its target, or set links to "follow" if you trust all who write there.';
    this.#report('link-forbidden', path, message, fix);
  }

  /** A link to a directory is followed if its target is in the root, or if it is at the top level and leads to a skill. */
  #nextLink(): Pending | undefined {
    for (let link = this.#linked.shift(); link !== undefined; link = this.#linked.shift()) {
      if (this.#visited.has(link.absolute)) {
        const message = 'The symbolic link leads to a directory that was already scanned.';
        this.#report('link-loop', link.path, message, 'No action is needed.');
      } else if (
        isInside(this.#realRoot, link.absolute) ||
        (link.depth === 1 && this.#mayLeadTo(link.absolute) && holdsSkill(link.absolute))
      ) {
        return link;
      } else {
        const message = `The symbolic link leads to ${link.absolute}, outside the directory, and was not followed.`;
        this.#report('link-outside', link.path, message, 'Configure that directory as its own source.');
      }
    }
    return undefined;
  }

  #mayLeadTo(path: string): boolean {
    return this.#within === undefined || !leadsOutside(this.#within, path);
  }

  #skipDeep(below: readonly Pending[]): void {
    this.#tooDeep ??= { first: below[0]?.path ?? '', count: 0 };
    this.#tooDeep.count += below.length;
  }

  #realRootOf(root: string): string | null {
    const real = findRealPath(root);
    if (real === null) {
      const [message, fix] = isNothing(root)
        ? [`There is no directory ${root}.`, 'Create it, or give another with --skills.']
        : [`${root} does not lead to a directory that can be reached.`, 'Restore its target, or remove it.'];
      this.#report('root-missing', '.', message, fix);
      return null;
    }
    if (!this.#mayLeadTo(real)) {
      const message = `${root} leads to ${real}, out of the project, and was not read.`;
      this.#report('link-outside', '.', message, 'Configure that directory as its own source.');
      return null;
    }
    if (isDirectory(real)) return real;
    const message = `${root} is not a directory.`;
    this.#report('root-not-a-directory', '.', message, 'Give the directory with the skills.');
    return null;
  }

  #report(id: DiagnosticId, path: string, message: string, fix: string): void {
    this.#diagnostics.push(diagnose(id, path, message, { fix }));
  }
}

const isSkillFileName = (path: string) => /(?:^|\/)skill\.md$/i.test(path);
