/** What search_skills answers: the whole result, for programs and for an agent. Without schemas, which commands need not load. */

import type { Lead, Retrieval } from '../../search/answer.ts';
import type { ForeignLanguage } from '../../search/language.ts';

/** Hits of a page. */
export const USUAL_HITS = 5;
/** Skills behind the page that an answer may name. */
export const ALSO = 5;

export interface SearchOptions {
  /** Most hits to return, 1–50. Default 5. */
  readonly top_k?: number;
  /** `next_cursor` of the last answer to this query and these filters. */
  readonly cursor?: string;
  readonly filters?: {
    readonly sources?: readonly string[];
    readonly tags?: readonly string[];
    /** MCP tools that a skill needs. */
    readonly tools?: readonly string[];
    readonly has_scripts?: boolean;
  };
}

export interface Evidence {
  /** `file:first-last`: a file relative to the skill's folder, and its lines from 1. */
  readonly at: string;
  /** Its headings, outermost first. */
  readonly heading: string;
  readonly excerpt: string;
  /** Words of the query found there. */
  readonly terms: readonly string[];
}

export interface SearchHit {
  /** The shortest form that names one skill. */
  readonly id: string;
  /** What it does and when to use it. */
  readonly line: string;
  /** What it needs, such as an account, a server or a tool. */
  readonly needs?: readonly string[];
  /** Number of copies and near-copies. */
  readonly copies?: number;
  /** `file:lines` that match where the description does not. */
  readonly at?: string;
  readonly detail: {
    /** From 1, over all pages. */
    readonly rank: number;
    /** 0–1, comparable within this answer. */
    readonly score: number;
    readonly full_id: string;
    readonly uri: string;
    readonly name: string;
    readonly source: string;
    readonly digest: string;
    readonly folder: string;
    readonly description: string;
    readonly evidence: readonly Evidence[];
    readonly allowed_tools?: readonly string[];
    /** The same of a skill that was fetched from elsewhere: the user has allowed none of it. */
    readonly remote_allowed_tools?: readonly string[];
    /** The nearest request that the skill says it answers, where it raises the score. */
    readonly asked_like?: string;
    /** What each signal adds to the score. */
    readonly score_parts?: Readonly<Record<string, number>>;
    /** Ids of identical skills. */
    readonly same_as?: readonly string[];
    /** Ids of near-identical skills. */
    readonly like?: readonly string[];
    readonly lead?: Lead;
  };
}

export interface SearchResult {
  /** Whether a skill fits, in one sentence. */
  readonly verdict: string;
  /** No skill seems to fit: `fit` is below 0.1. */
  readonly weak: boolean;
  /** 0–1: that a skill fits; absent when browsing. */
  readonly fit?: number;
  /** Why the retrieval is limited. */
  readonly note?: string;
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** Ids of the skills behind these hits. */
  readonly also?: readonly string[];
  readonly next_cursor?: string;
  /** How it was searched, among how many skills. */
  readonly search?: Omit<Retrieval, 'note'> & {
    readonly query: string;
    readonly searched: number;
    readonly took_ms: number;
    /** The language of the query, where the catalog hardly has it, and those that it has. */
    readonly foreign?: ForeignLanguage;
  };
}

/** A hit as an agent gets it: details where they were asked for. */
export interface AgentHit extends Omit<SearchHit, 'needs' | 'detail'> {
  readonly needs?: string[];
  readonly detail?: Record<string, unknown>;
}

export interface AgentResult extends Omit<SearchResult, 'hits' | 'also' | 'search'> {
  readonly hits: AgentHit[];
  readonly also?: string[];
  readonly search?: Record<string, unknown>;
}
