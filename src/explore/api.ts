/**
 * What the page asks and what it gets: the only file that server (`src/explore`) and browser (`page/`) share. Types alone, so
 * that nothing of the server reaches the browser. `requests.ts` checks requests against schemas.
 */

/** Requests and answers by name. A request is `POST api/<name>` with a JSON object; an error is `{ error }`. */
export interface Api {
  readonly overview: { readonly request: Record<string, never>; readonly answer: Overview };
  readonly search: { readonly request: SearchRequest; readonly answer: SearchAnswer };
}

export type ApiName = keyof Api;

/** Text in pieces; true where the piece matches a word of the query. */
export type Marked = readonly (readonly [text: string, matches: boolean])[];

/** What the page needs before its first view. */
export interface Overview {
  readonly version: string;
  readonly skills: number;
  readonly sources: readonly { readonly name: string; readonly skills: number }[];
  /** Embedder's id; null where words alone are searched. */
  readonly model: string | null;
  /** Who asks: `local`, or the name of a token. */
  readonly principal: string;
}

export interface SearchRequest {
  readonly query: string;
  /** `nextCursor` of an earlier answer to the same query. */
  readonly cursor?: string;
}

export interface SearchAnswer {
  readonly query: string;
  /** As many as an agent gets by default. */
  readonly hits: readonly SearchHit[];
  /** 0–1: the probability that some skill fits, and that the first one is right. Null without a query. */
  readonly fit: number | null;
  readonly confidence: number | null;
  readonly weak: boolean;
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
