/**
 * Answers the page's requests, each for one principal: from its gateway, and from its view of the catalog. Knows nothing of
 * HTTP; who asks is decided before (`server.ts`, `http/`).
 */

import * as z from 'zod';
import { IndexError } from '../../index/errors.ts';
import { messageOf } from '../../src/base/errors.ts';
import { withTimeout } from '../../src/base/timing.ts';
import type { LibraryView } from '../../src/catalog/library.ts';
import { type Gateway, GatewayError } from '../../src/gateway/gateway.ts';
import type { Observer } from '../../src/gateway/intercept.ts';
import { LOCAL, type Principal } from '../../src/gateway/policy/principal.ts';
import { completeSkill } from '../../src/gateway/skill-names.ts';
import type { Searchable } from '../../src/search/search.ts';
import type { Api, ApiName, Overlay, Overview, Savings } from './api.ts';
import { CachedJobs, type CachedJobsOptions } from './cached-jobs.ts';
import { Remarks } from './remarks.ts';
import { REQUESTS } from './requests.ts';
import { searchView } from './search.ts';
import { fileView, skillView } from './skill.ts';
import { type UseCounts, useCounts, useView } from './use.ts';
import { startView, whyView } from './views.ts';
import { contentOf } from './work.ts';

/** Time after which the page learns that the first index is still being made, ms. */
const OVERVIEW_MS = 500;
/** Longest wait for the lists of hosts, ms; a later answer has them. */
const SAVINGS_MS = 1_000;
/** Ids that complete a text. */
const COMPLETED = 20;

/** What one principal may use. */
interface Visitor {
  readonly principal: Principal;
  /** Observed, so that the audit log has the page's calls too. */
  readonly gateway: Gateway;
  /** The visible part of the catalog. */
  readonly view: LibraryView;
  /** True where the policy hides nothing from the principal, for any catalog. */
  readonly everything: boolean;
  /** Records a request that makes no call of the gateway; absent where nothing is recorded. */
  readonly observe?: Observer | undefined;
}

export interface ExplorerOptions extends CachedJobsOptions {
  readonly version: string;
  readonly visitor: (principal: Principal) => Promise<Visitor>;
  /** File of the audit log; null where none is configured. */
  readonly auditFile: string | null;
  /** True where the audit log has the calls of this page alone. */
  readonly ownOnly?: boolean;
  /** What the lists of hosts would take; for the user of this machine alone. */
  readonly savings?: (gateway: Gateway) => Promise<Savings>;
  /** How far the active update of the index is, 0–1; null where there is none. */
  readonly indexing?: () => number | null;
}

/** An HTTP status and a JSON object. */
interface Reply {
  readonly status: number;
  readonly body: object;
}

export interface Explorer {
  /** Never rejects: a failure is a reply `{ error }`. */
  answer(name: string, request: unknown, principal: Principal): Promise<Reply>;
}

type Views = {
  readonly [Name in ApiName]: (
    request: Api[Name]['request'],
    visitor: Visitor,
  ) => Promise<Api[Name]['answer']>;
};

export function openExplorer({
  version,
  visitor,
  auditFile,
  ownOnly = false,
  savings,
  indexing = () => null,
  ...options
}: ExplorerOptions): Explorer {
  const { log } = options;
  const jobs = new CachedJobs(options);
  const remarks = new Remarks();
  const views: Views = {
    overview: async (_, { principal, view, everything }) => ({
      state: 'done',
      result: await overview(version, principal, view, everything ? indexing() : null),
    }),
    search: (request, { gateway }) => searchView(request, gateway),
    start: (_, { view }) => startView(view),
    skill: ({ id }, { view, principal, everything }) =>
      skillView(id, view, {
        use: useCounts(auditFile, everything ? null : principal.id),
        local: principal.id === LOCAL.id,
      }),
    file: ({ id, path }, { view }) => fileView(id, path, view),
    complete: async ({ text }, { view }) =>
      completeSkill((await view.current()).reader, text, COMPLETED).map(({ id }) => id),
    async health(_, { view, everything }) {
      const index = await view.current();
      const collisions = jobs.progressOf('collisions', index, everything);
      return {
        remarks: remarks.of(index, view),
        collisions:
          collisions.state === 'done'
            ? {
                state: 'done',
                result: { total: collisions.result.found.length, pairs: collisions.result.pairs },
              }
            : collisions,
      };
    },
    why: async (request, { view }) => whyView(request, await view.current()),
    async use(_, { view, principal, everything, gateway }) {
      const who = everything ? null : principal.id;
      const found = await useView(auditFile, await view.current(), { who, ownOnly });
      if (savings === undefined || principal.id !== LOCAL.id || !everything) return found;
      const saved = await withTimeout(
        savings(gateway).catch(() => undefined),
        SAVINGS_MS,
        () => undefined,
      );
      return saved === undefined ? found : { ...found, savings: saved };
    },
    map: async (_, { view, everything }) => jobs.progressOf('map', await view.current(), everything),
    overlay: async (_, { view, principal, everything }) =>
      overlay(await view.current(), everything, jobs, useCounts(auditFile, everything ? null : principal.id)),
  };
  const reply = async (name: ApiName, request: unknown, principal: Principal): Promise<Reply> => {
    try {
      const who = await visitor(principal);
      const end = UNRECORDED.has(name)
        ? undefined
        : who.observe?.({ name: `explore.${name}`, principal, request });
      const started = performance.now();
      const ended = (outcome: string) =>
        end?.({ outcome, ms: performance.now() - started, result: undefined });
      try {
        const body = await answered(views, name, request, who);
        if (!isWorking(body)) ended('ok');
        return { status: 200, body };
      } catch (error) {
        ended(error instanceof GatewayError ? error.code : 'INTERNAL');
        throw error;
      }
    } catch (error) {
      return failure(error, log);
    }
  };
  let share = 0;
  return {
    async answer(name, request, principal) {
      if (!isApiName(name)) return { status: 404, body: { error: `The page has no request ${name}.` } };
      const made = reply(name, request, principal);
      if (name !== 'overview') return made;
      return withTimeout(made, OVERVIEW_MS, () => {
        // The index is written after its last skill was read: nothing goes back to the beginning then.
        share = Math.max(share, indexing() ?? 0);
        const body: Api['overview']['answer'] = { state: 'working', share };
        return { status: 200, body };
      });
    },
  };
}

/** A search is recorded as a call of the gateway; what the page asks to follow the catalog is nobody's wish. */
const UNRECORDED: ReadonlySet<ApiName> = new Set(['search', 'overview']);

/** The page asks again and again until the work is done: only that answer is recorded. */
const isWorking = (body: Api[ApiName]['answer']): boolean =>
  Object.values({ body, ...body }).some(
    (part) => typeof part === 'object' && part !== null && 'state' in part && part.state === 'working',
  );

const isApiName = (name: string): name is ApiName => Object.hasOwn(REQUESTS, name);

const answered = <Name extends ApiName>(views: Views, name: Name, request: unknown, visitor: Visitor) =>
  views[name](REQUESTS[name].parse(request), visitor);

/** Messages of documented errors are for callers; those of others stay in the log. */
function failure(error: unknown, log: (message: string) => void): Reply {
  if (error instanceof z.ZodError)
    return { status: 400, body: { error: z.prettifyError(error).replaceAll('\n', ' ') } };
  if (error instanceof GatewayError) {
    const status = error.code === 'SKILL_UNKNOWN' || error.code === 'PATH_UNKNOWN' ? 404 : 400;
    return { status, body: { error: error.message } };
  }
  log(`explore: ${messageOf(error)}`);
  const message =
    error instanceof IndexError
      ? 'The index could not be read; the log says why.'
      : 'skillgate failed unexpectedly; its log says why.';
  return { status: 500, body: { error: message } };
}

async function overview(
  version: string,
  { id }: Principal,
  view: LibraryView,
  indexing: number | null,
): Promise<Overview> {
  const { reader, embedder } = await view.current();
  return {
    version,
    content: contentOf(reader),
    indexing,
    skills: reader.documents,
    sources: reader
      .facetCounts('source:')
      .map(({ value, documents }) => ({ name: value, skills: documents })),
    model: embedder?.id ?? null,
    principal: id,
  };
}

/** `use` has how often each skill was found and loaded, by id; null without an audit log. */
function overlay(index: Searchable, whole: boolean, jobs: CachedJobs, use: UseCounts | null): Overlay {
  const { reader } = index;
  const collisions = jobs.progressOf('collisions', index, whole);
  const counted = (ordinal: number, at: number) => {
    const id = reader.key(ordinal);
    return [at, use?.found.get(id) ?? 0, use?.loaded.get(id) ?? 0] as const;
  };
  return {
    content: contentOf(reader),
    links: collisions.state === 'done' ? { state: 'done', result: collisions.result.found } : collisions,
    use: use && Array.from(reader.ordinalsByKey(), counted).filter(([, found, loaded]) => found + loaded > 0),
  };
}
