/**
 * What the page asks and what it gets: the only file that server (`extensions/explore`) and browser (`page/`) share. Types alone, so
 * that nothing of the server reaches the browser. `requests.ts` checks requests against schemas.
 */

/** Requests and answers by name. A request is `POST api/<name>` with a JSON object, or a GET for `{}`; an error is `{ error }`. */
export interface Api {
  readonly overview: { readonly request: Record<string, never>; readonly answer: Eventually<Overview> };
  readonly search: { readonly request: SearchRequest; readonly answer: SearchAnswer };
  readonly start: { readonly request: Record<string, never>; readonly answer: Start };
  readonly skill: { readonly request: { readonly id: string }; readonly answer: SkillPage };
  readonly file: {
    readonly request: { readonly id: string; readonly path: string };
    readonly answer: FileText;
  };
  /** Ids that begin with or contain the text, best first. */
  readonly complete: { readonly request: { readonly text: string }; readonly answer: readonly string[] };
  readonly health: { readonly request: Record<string, never>; readonly answer: Health };
  readonly why: {
    readonly request: {
      readonly skill: string;
      readonly description: string;
      readonly queries: readonly string[];
    };
    readonly answer: RankChanges;
  };
  readonly use: { readonly request: Record<string, never>; readonly answer: Use };
  readonly map: { readonly request: Record<string, never>; readonly answer: Eventually<SkillMap> };
  readonly overlay: { readonly request: Record<string, never>; readonly answer: Overlay };
}

export type ApiName = keyof Api;

/** What takes seconds to compute: its result, or how far it is (0–1). Ask again after a moment. */
export type Eventually<Result> =
  | { readonly state: 'done'; readonly result: Result }
  | { readonly state: 'working'; readonly share: number }
  | { readonly state: 'failed'; readonly reason: string };

/** Text in pieces; true where the piece matches a word of the query. */
export type Marked = readonly (readonly [text: string, matches: boolean])[];

/** What every view shows. The page asks for it again and again, to follow the catalog. */
export interface Overview {
  /** Changes with the skills that the caller may see. */
  readonly content: string;
  /** How far an update of the index is, 0–1; null where there is none. */
  readonly indexing: number | null;
  readonly version: string;
  readonly skills: number;
  readonly sources: readonly { readonly name: string; readonly skills: number }[];
  /** Embedder's id; null where words alone are searched. */
  readonly model: string | null;
  /** Who asks: `local`, or the name of a token. */
  readonly principal: string;
}

/** Where to begin in a catalog that one does not know. */
export interface Start {
  /** Requests that skills of the largest themes say they are for. */
  readonly examples: readonly string[];
  /** The largest first. */
  readonly themes: readonly {
    readonly label: string;
    /** Name of its most typical skill. */
    readonly typical: string;
    readonly skills: number;
  }[];
}

export interface SearchRequest {
  readonly query: string;
  /** `nextCursor` of an earlier answer to the same query. */
  readonly cursor?: string;
  /** Hits, 1–50. Default: as many as an agent gets by default. */
  readonly limit?: number;
}

export interface SearchAnswer {
  readonly query: string;
  readonly hits: readonly SearchHit[];
  /** 0–1: the probability that some skill fits. Null without a query. */
  readonly fit: number | null;
  /** What the fit means, and the words for it; null without a query. */
  readonly verdict: { readonly kind: 'fits' | 'perhaps' | 'none'; readonly words: string } | null;
  /** `hybrid`, `lexical` or `browse`, and why it is less than configured. */
  readonly mode: string;
  readonly note?: string;
  readonly searched: number;
  readonly tookMs: number;
  readonly nextCursor?: string;
  /** What `search_skills` answers to the same query, and its estimated tokens. Absent on later pages. */
  readonly agent?: { readonly text: string; readonly tokens: number };
}

export interface SearchHit {
  /** From 1. */
  readonly rank: number;
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly description: Marked;
  /** 0–1, comparable within one answer. */
  readonly score: number;
  /** What each feature adds to the score, the largest first. */
  readonly parts: readonly (readonly [feature: string, part: number])[];
  readonly evidence: readonly {
    readonly path: string;
    readonly heading: readonly string[];
    readonly lines: readonly [from: number, to: number];
    readonly excerpt: Marked;
  }[];
  /** Why it ranks before the next hit, in one sentence. */
  readonly lead?: string;
  /** Ids of skills folded under this one: the same elsewhere, and nearly the same. */
  readonly copies: readonly string[];
  readonly twins: readonly string[];
  readonly needs: readonly string[];
  readonly scripts: number;
  readonly references: number;
  /** True where the scan marked something suspicious. */
  readonly suspicious: boolean;
}

export interface SkillPage {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly license?: string;
  readonly needs: readonly string[];
  /** Its skill file, one of `files`. */
  readonly file: string;
  /** Absolute; absent for callers on other machines. */
  readonly folder?: string;
  readonly files: readonly { readonly path: string; readonly size: number; readonly kind: string }[];
  /** Estimates: of name and description, which a host lists, and of the instructions, which an agent loads. */
  readonly listedTokens: number;
  readonly loadedTokens: number;
  readonly remarks: readonly {
    readonly id: string;
    readonly severity: 'error' | 'warning' | 'info';
    readonly path: string;
    readonly line?: number;
    readonly message: string;
    readonly fix?: string;
  }[];
  /** The hardest to tell apart first; `closeness` as in `Health`. */
  readonly collisions: readonly { readonly id: string; readonly closeness: number }[];
  /** Ids of skills of about the same meaning, the nearest first. */
  readonly neighbours: readonly string[];
  /** Of the calls in the audit log that the caller may see; null without a log. */
  readonly use: { readonly found: number; readonly loaded: number } | null;
}

/** `text` is absent for images, `rendered` for files that are no Markdown. */
export interface FileText {
  readonly path: string;
  readonly mimeType: string;
  readonly text?: string;
  /** True where the file goes on after `text`. */
  readonly truncated?: boolean;
  readonly rendered?: readonly RichText[];
}

/** An element with what is inside of it, or text. */
export type RichText =
  | string
  | {
      readonly tag: string;
      /** Of the file, 1-based, both included; on elements that hold text themselves. */
      readonly lines?: readonly [from: number, to: number];
      /** Where a link leads: a web page, or another file of the skill. */
      readonly href?: string;
      readonly file?: string;
      readonly children: readonly RichText[];
    };

/** All skills in the plane, for `page/map/decoded.ts` to read. Columns have one item for each skill, in order of id. */
export interface SkillMap {
  /** That of the overview. */
  readonly content: string;
  /** An id is as many characters of the one before, and the rest. */
  readonly shared: readonly number[];
  readonly rests: readonly string[];
  /** By position, where a name is not the last part of its id. */
  readonly names: Readonly<Record<number, string>>;
  /** x and y of each, in 1/10,000, within ±10,000 but for copies at the rim. */
  readonly places: readonly number[];
  /** Positions in `sources` and in `themes`. */
  readonly sourceOf: readonly number[];
  readonly themeOf: readonly number[];
  readonly sources: readonly string[];
  /** Those of the start, with all skills counted; `x` and `y` are where most of them are, in 1/10,000. */
  readonly themes: readonly {
    readonly label: string;
    readonly typical: string;
    readonly skills: number;
    readonly x: number;
    readonly y: number;
  }[];
  /** Positions of the skills in which the scan marked something. */
  readonly suspicious: readonly number[];
}

/** What lies on top of the map with the same `content`. */
export interface Overlay {
  readonly content: string;
  /** All pairs that collide, as positions. */
  readonly links: Eventually<readonly (readonly [a: number, b: number])[]>;
  /** What was found or loaded, of the calls in the audit log that the caller may see; null without a log. */
  readonly use: readonly (readonly [position: number, found: number, loaded: number])[] | null;
}

/** What validation finds in the files, and which skills collide. */
export interface Health {
  readonly remarks: Eventually<readonly RemarkKind[]>;
  readonly collisions: Eventually<{
    readonly total: number;
    /** The hardest to tell apart first. */
    readonly pairs: readonly {
      readonly ids: readonly [string, string];
      /** How hard they are to tell apart by name and description, 0.6–1. */
      readonly closeness: number;
      /** Id of the one that comes first for either's description; null if each comes first for its own. */
      readonly shadowing: string | null;
    }[];
  }>;
}

/** Remarks of one kind; the worst kinds come first. */
export interface RemarkKind {
  readonly id: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly meaning: string;
  /** Number of skills with such a remark. */
  readonly skills: number;
  /** The first of them, with the first such remark on each. */
  readonly found: readonly {
    readonly skill: string;
    /** File, and line where it is known. */
    readonly at: string;
    readonly message: string;
    readonly fix?: string;
  }[];
}

/** The ranks of a skill if its description were another one. */
export interface RankChanges {
  readonly id: string;
  readonly rows: readonly {
    readonly query: string;
    /** From 1. */
    readonly before: number;
    readonly after: number;
    /** Whether a page would show it then. */
    readonly reached: boolean;
    /** Id of the first hit then. */
    readonly first: string;
  }[];
  /** Skills that would fall behind it, and in how many queries. */
  readonly losers: readonly { readonly id: string; readonly queries: number }[];
}

/** `report` is absent before the first call. `hint` says how to see more calls than those of this page. */
export interface Use {
  readonly report?: UseReport;
  readonly hint?: string;
  /** For the user of this machine: what the lists of its hosts would take of a prompt. */
  readonly savings?: Savings;
}

/** Tokens are estimates. */
export interface Savings {
  readonly hosts: readonly {
    readonly name: string;
    /** Whether its list is switched off. */
    readonly hidden: boolean;
    readonly skills: number;
    /** Of every prompt. */
    readonly tokens: number;
    readonly omitted: number;
    readonly withoutDescription: number;
  }[];
  /** Of skillgate's instructions and tools, in every prompt. */
  readonly own: number;
  /** Of the answers to all searches of the log; null where that is unknown. */
  readonly searches: number | null;
}

export interface UseReport {
  readonly searches: number;
  readonly loads: number;
  readonly weak: number;
  /** Each day from the first call to the last, at most 90. */
  readonly days: readonly {
    /** `2026-11-23`, in UTC. */
    readonly day: string;
    readonly searches: number;
    readonly loads: number;
    readonly weak: number;
  }[];
  /** The most frequent first; `fit` is that of the last such search. */
  readonly queries: readonly {
    readonly query: string;
    readonly times: number;
    readonly fit: number | null;
  }[];
  readonly weakQueries: UseReport['queries'];
  readonly loaded: readonly { readonly id: string; readonly times: number }[];
  /** Found at least three times and never loaded. */
  readonly neverLoaded: UseReport['loaded'];
  /** Number of skills that were in no answer. */
  readonly neverFound: number;
}
