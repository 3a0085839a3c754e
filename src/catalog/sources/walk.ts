/**
 * One walk through a directory: which folders in it are skills, which files are theirs, which links lead where.
 * Files are listed and stamped, never opened; nothing it meets makes it throw.
 */

import { type Dirent, readdirSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import { type DiagnosticId, diagnose } from '../../skills/diagnostics.ts';
import type { Diagnostic } from '../../skills/skill.ts';
import type { SkillFolder } from '../entry.ts';
import { isNothing, realPathOf } from '../real-path.ts';
import { SkillFolderDraft } from './folder.ts';
import type { Scan } from './source.ts';

/** Directories that hold no skills of their own: version control, installed packages, caches. */
const IGNORED = new Set([
  ...['.git', '.hg', '.svn', '.jj', 'node_modules', 'bower_components', 'site-packages'],
  ...['.venv', '__pycache__', '.tox', '.mypy_cache', '.pytest_cache', '.ruff_cache', '.cache'],
  ...['.next', '.nuxt', '.turbo', '.yarn', '.pnpm-store', '.terraform', '.gradle'],
]);

export function isIgnoredDirectory(name: string): boolean {
  return IGNORED.has(name);
}

export interface WalkOptions {
  /** Levels of directories below the root that are looked into. */
  readonly maxDepth: number;
  /** Directories without a skill from which that is said. */
  readonly manyBarren: number;
  /** Below the root, with `/`: walks that directory only, which no skill above it may own. Default: all. */
  readonly start?: string;
}

interface Pending {
  /** Real path. */
  readonly absolute: string;
  /** Below the root, with `/`; '' for the root. */
  readonly path: string;
  readonly depth: number;
  /** The skill that the directory's files belong to. */
  readonly owner: SkillFolderDraft | null;
}

/** Depth-first, one directory a step, in order of name. `root` is absolute. */
export class Walk {
  readonly #source: string;
  readonly #root: string;
  readonly #maxDepth: number;
  readonly #manyBarren: number;
  readonly #pending: Pending[] = [];
  /** Links met, to be looked at once every real directory has been: what they lead to may be known by then. */
  readonly #links: Pending[] = [];
  readonly #visited = new Set<string>();
  readonly #drafts: SkillFolderDraft[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  /** Directories listed that belong to no skill. */
  #barren = 0;
  #tooDeep: { first: string; count: number } | null = null;
  #realRoot = '';
  #linked = false;

  constructor(source: string, root: string, { maxDepth, manyBarren, start = '' }: WalkOptions) {
    this.#source = source;
    this.#root = root;
    this.#maxDepth = maxDepth;
    this.#manyBarren = manyBarren;
    const real = this.#realRootOf(root);
    if (real === null) return;
    this.#realRoot = real;
    const depth = start === '' ? 0 : start.split('/').length;
    this.#pending.push({ absolute: join(real, start), path: start, depth, owner: null });
  }

  /** True where a link was met that ties what was walked to other places. */
  get linked(): boolean {
    return this.#linked;
  }

  /** Lists one directory; false where none is left. */
  step(): boolean {
    const next = this.#pending.pop() ?? this.#nextLink();
    if (next === undefined) return false;
    this.#list(next);
    return true;
  }

  scan(): Scan {
    if (this.#tooDeep !== null) {
      const { first, count } = this.#tooDeep;
      const message = `${count} directories more than ${this.#maxDepth} levels down were not looked into.`;
      this.#report('folder-too-deep', first, message, 'Give a directory nearer to the skills.');
    }
    if (this.#barren >= this.#manyBarren && this.#barren > this.#drafts.length) {
      const message = `${this.#barren} directories hold no skill, and each is listed at every check.`;
      const mend = 'Give a directory nearer to the skills, or remove those that nobody needs.';
      this.#report('folders-without-skills', '.', message, mend);
    }
    const folders: SkillFolder[] = [];
    for (const draft of this.#drafts) {
      const { folder, diagnostics } = draft.finish(this.#source, this.#idOf(draft.path));
      this.#diagnostics.push(...diagnostics);
      if (folder !== null) folders.push(folder);
    }
    folders.sort((a, b) => (a.id < b.id ? -1 : 1));
    return { folders, diagnostics: this.#diagnostics };
  }

  /** A skill that is the root itself is called by the root's own name, with `.` added while a folder has that. */
  #idOf(path: string): string {
    if (path !== '') return path;
    const ids = new Set(this.#drafts.map((draft) => draft.path));
    let id = basename(this.#root) || 'root';
    while (ids.has(id)) id += '.';
    return id;
  }

  #list({ absolute, path, depth, owner }: Pending): void {
    // A link to a folder above the root would otherwise lead back into it.
    const visited = this.#visited.size;
    if (this.#visited.add(absolute).size === visited) return;
    let entries: Dirent[];
    try {
      entries = readdirSync(absolute, { withFileTypes: true });
    } catch (error) {
      const message = `The directory cannot be listed: ${reasonOf(error)}.`;
      this.#report('folder-unreadable', path || '.', message, 'Check its permissions.');
      return;
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const skillFile = this.#skillFileOf(entries, absolute, path);
    const draft = skillFile === null ? owner : new SkillFolderDraft(absolute, path, skillFile);
    if (draft === null) this.#barren += 1;
    else if (draft !== owner) this.#drafts.push(draft);

    const below: Pending[] = [];
    for (const entry of entries) {
      const { name } = entry;
      if (entry.isFile()) {
        if (draft !== null && !name.startsWith('.')) draft.add(absolute, name);
        continue;
      }
      const isLink = entry.isSymbolicLink();
      if (!isLink && (!entry.isDirectory() || isIgnoredDirectory(name))) continue;
      const at: Pending = {
        absolute: absolute.endsWith(sep) ? absolute + name : absolute + sep + name,
        path: path === '' ? name : `${path}/${name}`,
        depth: depth + 1,
        owner: !isLink && name.startsWith('.') ? null : draft,
      };
      if (isLink) this.#meetLink(at);
      else below.push(at);
    }
    if (depth >= this.#maxDepth && below[0] !== undefined) this.#skipDeep(below);
    // One at a time: a call takes no hundred thousand arguments.
    else for (const next of below.reverse()) this.#pending.push(next);
  }

  /** The exact spelling counts before others. A link counts where it leads to a file inside the root. */
  #skillFileOf(entries: readonly Dirent[], absolute: string, path: string): string | null {
    const named = entries.filter(({ name }) => name.length === 8 && name.toLowerCase() === 'skill.md');
    if (named.length === 0) return null;
    const exact = named.filter(({ name }) => name === 'SKILL.md');
    for (const entry of new Set([...exact, ...named])) {
      if (entry.isFile()) return entry.name;
      if (!entry.isSymbolicLink()) continue;
      this.#linked = true;
      const target = realPathOf(join(absolute, entry.name));
      if (target === null || !statSync(target, { throwIfNoEntry: false })?.isFile()) continue;
      if (isInside(this.#realRoot, target) || isInside(absolute, target)) return entry.name;
      const message = 'The skill file is a symbolic link that leaves the directory.';
      this.#report(
        'link-outside',
        join(path, entry.name),
        message,
        'Copy the file, or link the whole folder.',
      );
    }
    return null;
  }

  #meetLink(link: Pending): void {
    const { owner, path } = link;
    const target = realPathOf(link.absolute);
    if (target === null) {
      this.#linked = true;
      this.#report(
        'link-broken',
        path,
        'The symbolic link leads nowhere.',
        'Remove it, or restore its target.',
      );
      return;
    }
    const stats = statSync(target, { throwIfNoEntry: false });
    if (!stats?.isFile()) this.#linked = true;
    if (owner === null) {
      if (stats?.isDirectory()) this.#links.push({ ...link, absolute: target });
    } else if (!isInside(owner.folder, target)) {
      if (path === owner.skillPath) return;
      const message = 'The symbolic link leaves the skill’s folder and was not followed.';
      this.#report('link-outside', path, message, 'Copy what it leads to into the skill’s folder.');
    } else if (stats?.isFile()) {
      owner.add(link.absolute.slice(0, -basename(path).length - 1), basename(path));
    }
  }

  /** A link to a directory is followed into the root, and from the root's top level to a skill anywhere. */
  #nextLink(): Pending | undefined {
    for (let link = this.#links.shift(); link !== undefined; link = this.#links.shift()) {
      if (this.#visited.has(link.absolute)) {
        const message = 'The symbolic link leads to a directory that is scanned already.';
        this.#report('link-loop', link.path, message, 'Nothing needs to be done.');
      } else if (isInside(this.#realRoot, link.absolute) || (link.depth === 1 && holdsSkill(link.absolute))) {
        return link;
      } else {
        const message = `The symbolic link leads to ${link.absolute}, outside the directory, and was not followed.`;
        this.#report('link-outside', link.path, message, 'Give that directory as a source of its own.');
      }
    }
    return undefined;
  }

  #skipDeep(below: readonly Pending[]): void {
    this.#tooDeep ??= { first: below[0]?.path ?? '', count: 0 };
    this.#tooDeep.count += below.length;
  }

  #realRootOf(root: string): string | null {
    const real = realPathOf(root);
    if (real === null) {
      const [message, mend] = isNothing(root)
        ? [`There is no directory ${root}.`, 'Create it, or give another with --skills.']
        : [`${root} leads to no directory that can be reached.`, 'Restore its target, or remove it.'];
      this.#report('root-missing', '.', message, mend);
      return null;
    }
    if (statSync(real, { throwIfNoEntry: false })?.isDirectory()) return real;
    const message = `${root} is not a directory.`;
    this.#report('root-not-a-directory', '.', message, 'Give the directory that holds the skills.');
    return null;
  }

  #report(id: DiagnosticId, path: string, message: string, mend: string): void {
    this.#diagnostics.push(diagnose(id, path, message, { mend }));
  }
}

function holdsSkill(absolute: string): boolean {
  try {
    return readdirSync(absolute).some((name) => name.toLowerCase() === 'skill.md');
  } catch {
    return false;
  }
}

function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
