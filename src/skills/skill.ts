/** What a skill is once it has been read: the nouns that every other room uses. Nothing here touches a disk. */

export type Severity = 'error' | 'warning' | 'info';

/** Something about a skill that its author can act on. Parsing yields these instead of throwing. */
export interface Diagnostic {
  /** Stable kebab-case id, such as `frontmatter-unclosed`; listed with their meaning in `diagnostics.ts`. */
  readonly id: string;
  readonly severity: Severity;
  /** What was found, in one sentence. */
  readonly message: string;
  /** What to write instead, in one sentence. */
  readonly fix?: string;
  /** File below the skill's folder (or the source's root), with `/`. */
  readonly path: string;
  /** 1-based; counted in the file as it stands on disk. */
  readonly position?: { readonly line: number; readonly column: number };
}

/** A stretch of Markdown under one heading, without the sections below it. */
export interface Section {
  /** Headings above and including the section's own, outermost first; empty before the first heading. */
  readonly heading: readonly string[];
  /** 1–6; 0 before the first heading. */
  readonly level: number;
  /** First and last line in the file, 1-based, both included; the heading's line is the first. */
  readonly lines: readonly [from: number, to: number];
}

export type FileKind = 'skill' | 'reference' | 'script' | 'asset';

/** A file that belongs to a skill. */
export interface SkillFile {
  /** Relative to the skill's folder, with `/`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: FileKind;
}

/** A SKILL.md as its author wrote it, read leniently. */
export interface Skill {
  /** Front matter's name as text, else the folder's name. Never rewritten: an odd name stays odd. */
  readonly name: string;
  readonly title?: string;
  /** Front matter's description, else the first paragraph of the body, else ''. */
  readonly description: string;
  readonly tags: readonly string[];
  readonly license?: string;
  readonly compatibility?: string;
  /** Names in `allowed-tools`, whichever way it was written. */
  readonly allowedTools: readonly string[];
  /** Names in `metadata["io.modelcontextprotocol/tools"]`. */
  readonly mcpTools: readonly string[];
  /** False where the author switched the skill off (`enabled: false`). */
  readonly enabled: boolean;
  /** Front matter verbatim, as YAML gives it; empty where there is none to be had. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** Everything after the front matter, unchanged but for a byte-order mark. */
  readonly body: string;
  /** Line of the file on which `body` begins, 1-based. */
  readonly bodyLine: number;
  /** Sections of the body in order; line numbers are the file's. They cover the body without gaps. */
  readonly sections: readonly Section[];
  /** True where the specification's own validator would accept it (agentskills.io). */
  readonly strict: boolean;
  readonly diagnostics: readonly Diagnostic[];
}
