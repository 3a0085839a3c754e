/**
 * What the page asks and what it gets: the only file that server (`extensions/explore`) and browser (`page/`) share. Types alone, so
 * that nothing of the server reaches the browser. `requests.ts` checks requests against schemas.
 */

import type * as z from 'zod';
import type { REQUESTS } from './requests.ts';

/** Requests and answers by name. A request is `POST api/<name>` with a JSON object, or a GET for `{}`; an error is `{ error }`. */
export type Api = {
  readonly [Name in ApiName]: { request: z.infer<(typeof REQUESTS)[Name]>; answer: Answers[Name] };
};

export type ApiName = keyof typeof REQUESTS;

interface Answers {
  readonly overview: Eventually<Overview>;
  readonly search: SearchAnswer;
  /** Those of the ids that there are, in their order. */
  readonly cards: readonly Card[];
  readonly skill: SkillPage;
  readonly file: FileText;
  readonly improve: Worklist;
  readonly ranks: readonly RankChange[];
  readonly map: Eventually<SkillMap>;
}

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
  readonly skills: number;
  readonly sources: number;
  /** Who asks: `local`, or the name of a token. */
  readonly principal: string;
}

export interface SearchAnswer {
  readonly query: string;
  readonly hits: readonly SearchHit[];
  /** Whether a skill fits, with its probability. Null without a query, or where no word of it is known. */
  readonly verdict: { readonly kind: 'fits' | 'perhaps' | 'none'; readonly words: string } | null;
  readonly note?: string;
  readonly searched: number;
  readonly tookMs: number;
  /** What `search_skills` answers to the same query, and its estimated tokens. */
  readonly agent: { readonly text: string; readonly tokens: number };
}

/** A skill in a list. */
export interface Card {
  readonly id: string;
  readonly name: string;
  readonly description: Marked;
  readonly needs: readonly string[];
  readonly scripts: number;
  /** True where the scan marked something suspicious. */
  readonly suspicious: boolean;
}

export interface SearchHit extends Card {
  /** From 1. */
  readonly rank: number;
  /** 0–1, comparable within one answer. */
  readonly score: number;
  readonly evidence: readonly {
    readonly path: string;
    readonly heading: readonly string[];
    readonly lines: readonly [from: number, to: number];
    readonly excerpt: Marked;
  }[];
  /** Ids of skills folded under this one: the same elsewhere, and nearly the same. */
  readonly copies: readonly string[];
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
  /** Paths in its folder. */
  readonly files: readonly string[];
  /** Estimates: of name and description, which a host lists, and of the instructions, which an agent loads. */
  readonly listedTokens: number;
  readonly loadedTokens: number;
  readonly remarks: readonly Remark[];
  /** What it says that it is for, and what it was found for, of the calls that the caller may see; the last first. */
  readonly requests: readonly string[];
}

/** A diagnostic, without what the page does not show. */
export interface Remark {
  readonly id: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly path: string;
  readonly position?: { readonly line: number };
  readonly message: string;
  readonly fix?: string;
}

/** `text` is absent for pictures, `rendered` for files that are no Markdown. */
export interface FileText {
  readonly path: string;
  readonly mimeType: string;
  readonly text?: string;
  /** A picture's bytes. */
  readonly base64?: string;
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
      /** Where a link leads: a web page, or another file of the skill; of a picture, its file. */
      readonly href?: string;
      readonly file?: string;
      readonly children: readonly RichText[];
    };

/** All skills in the plane, for the page's map. Columns have one item for each skill, in order of id. */
export interface SkillMap {
  /** That of the overview. */
  readonly content: string;
  readonly ids: readonly string[];
  /** By position, where a name is not the last part of its id. */
  readonly names: Readonly<Record<number, string>>;
  /** x and y of each, in 1/10,000, within ±10,000 but for copies at the rim. */
  readonly points: readonly number[];
  /** Where skills lie densely, on two levels, the upper one first; x and y in 1/10,000. */
  readonly places: readonly Place[];
  /** Position of each skill's place on the lower level. */
  readonly placeOf: readonly number[];
  /** Positions of the skills that have what a list can be narrowed to, by kind and value, the most frequent first. */
  readonly facets: Readonly<Record<Facet, readonly (readonly [value: string, skills: readonly number[]])[]>>;
  /** Requests that some skills say they are for. */
  readonly examples: readonly string[];
}

/** Where skills come from is in their ids. */
export type Facet = 'scripts' | 'language' | 'needs';

export interface Place {
  /** Null where no word is true of it. */
  readonly label: string | null;
  /** In the middle of the skills that carry the name, at one of them. */
  readonly x: number;
  readonly y: number;
  readonly skills: number;
  /** Position of the place around it; null on the upper level. */
  readonly parent: number | null;
}

/** What is worth doing, the worst first. */
export interface Worklist {
  /** How much of the files is read, 0–1. */
  readonly read: number;
  /** How far the search for collisions is, 0–1; null where it failed. */
  readonly compared: number | null;
  /** Where the skills come from, with whether the caller can change them. */
  readonly folders: readonly { readonly name: string; readonly skills: number; readonly mine: boolean }[];
  readonly items: readonly Item[];
}

/** One thing to do; `folder` names one of `folders`, and is null for what is in none. */
export type Item = { readonly folder: string | null } & (
  | { readonly kind: 'danger' | 'unloadable'; readonly skill: string; readonly remark: Remark }
  | { readonly kind: 'asked'; readonly query: string; readonly times: number }
  | { readonly kind: 'collision'; readonly ids: readonly [string, string] }
  /** Remarks of one kind in one folder: `dead` for files that are missing. */
  | {
      readonly kind: 'dead' | 'small';
      readonly meaning: string;
      readonly skills: number;
      /** The first remark on each of the first skills. */
      readonly remarks: readonly { readonly skill: string; readonly remark: Remark }[];
    }
);

/** The rank of a skill for a query, from 1, and what it were with another description. */
export interface RankChange {
  readonly query: string;
  readonly before: number;
  readonly after: number;
}
