/** The types of a parsed skill, which all other rooms use. No file access. */

export type Severity = 'error' | 'warning' | 'info';

/** A finding about a skill that its author can act on. Parsing returns these instead of throwing. */
export interface Diagnostic {
  /** Stable kebab-case id, such as `frontmatter-unclosed`; listed with their meaning in `diagnostics.ts`. */
  readonly id: string;
  readonly severity: Severity;
  /** What was found, in one sentence. */
  readonly message: string;
  /** What to write instead, in one sentence. */
  readonly fix?: string;
  /** Path below the skill's folder (or the source's root), with `/`. */
  readonly path: string;
  /** 1-based, in the file on disk. */
  readonly position?: { readonly line: number; readonly column: number };
}

/** The Markdown under one heading, without its subsections. */
export interface Section {
  /** Headings from the outermost to the section's own; empty before the first heading. */
  readonly heading: readonly string[];
  /** 1–6; 0 before the first heading. */
  readonly level: number;
  /** First and last line in the file, 1-based, inclusive; the first is the heading's. */
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

/** Who finds a skill. `none`: only callers that name it. */
export type Audience = 'all' | 'models' | 'people' | 'none';

/** A SKILL.md, parsed tolerantly. */
export interface Skill {
  /** The front matter's name as text, else the folder's name. Never corrected. */
  readonly name: string;
  readonly title?: string;
  /** The front matter's description, else the first paragraph of the body, else ''. */
  readonly description: string;
  /** As written: `1.0` is not 1. */
  readonly version?: string;
  readonly tags: readonly string[];
  readonly license?: string;
  readonly compatibility?: string;
  /** Names in `allowed-tools`, in any notation. */
  readonly allowedTools: readonly string[];
  /** Tools of MCP servers that the front matter names. */
  readonly mcpTools: readonly string[];
  /** False if the author disabled the skill (`enabled: false`). */
  readonly enabled: boolean;
  /** For whom the author meant it: `disable-model-invocation` leaves people, `user-invocable: false` leaves models. */
  readonly audience: Audience;
  /** The front matter as YAML values; empty if there is none. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** Everything after the front matter, unchanged except for a byte-order mark. */
  readonly body: string;
  /** Line of the file on which `body` begins, 1-based. */
  readonly bodyLine: number;
  /** Sections of the body in order, covering it without gaps; line numbers are the file's. Found when they are first asked for. */
  readonly sections: readonly Section[];
  /** True if the specification's own validator would accept it (agentskills.io). */
  readonly strict: boolean;
  /** True if any YAML reader gets exactly `frontmatter` from the file as it is. */
  readonly verbatim: boolean;
  readonly diagnostics: readonly Diagnostic[];
}
