/**
 * Answers the page's requests, each for one principal: from its gateway, and from its view of the catalog. Knows nothing of
 * HTTP; who asks is decided before (`server.ts`, `http/`).
 */

import * as z from 'zod';
import { IndexError } from '../../index/errors.ts';
import type { Gateway, LibraryView, Observer } from '../../src/app/extension-api.ts';
import { errorMessage } from '../../src/base/errors.ts';
import { withTimeout } from '../../src/base/timing.ts';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { LOCAL, type Principal } from '../../src/gateway/policy/principal.ts';
import { entryAt } from '../../src/search/search.ts';
import { summariseUsage } from '../usage/usage.ts';
import type { Api, ApiName } from './api.ts';
import { CachedJobs, type CachedJobsOptions } from './cached-jobs.ts';
import { Remarks } from './remarks.ts';
import { REQUESTS } from './requests.ts';
import { searchView, toCard } from './search.ts';
import { draftRanks, fileView, skillView } from './skill.ts';
import { callsIn } from './use.ts';
import { digestContent } from './work.ts';
import { worklist } from './worklist.ts';

/** Time after which the page learns that the first index is still being made, ms. */
const OVERVIEW_MS = 500;

/** What one principal may use. */
interface Visitor {
  readonly principal: Principal;
  /** Not observed: the explorer records what counts. */
  readonly gateway: Gateway;
  /** The visible part of the catalog. */
  readonly view: LibraryView;
  /** True where the policy hides nothing from the principal, for any catalog. */
  readonly everything: boolean;
  /** Records a request; absent where nothing is recorded. */
  readonly observe?: Observer | undefined;
}

export interface ExplorerOptions extends CachedJobsOptions {
  readonly visitor: (principal: Principal) => Promise<Visitor>;
  /** File of the audit log; null where none is configured. */
  readonly auditFile: string | null;
  /** Folder of fetched sources, whose skills the person cannot change. */
  readonly fetchedIn: string;
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

export function openExplorer(options: ExplorerOptions): Explorer {
  const views = makeViews(options);
  const { indexing = () => null, log } = options;
  /** Highest share of the indexing that was shown, 0–1. */
  let share = 0;
  const reply = async (name: ApiName, request: unknown, principal: Principal): Promise<Reply> => {
    let end = (_outcome: string) => {};
    try {
      const visitor = await options.visitor(principal);
      const started = performance.now();
      if (isRecorded(name, request)) {
        const record = visitor.observe?.({ name: `explore.${name}`, principal, request });
        end = (outcome) => record?.({ outcome, ms: performance.now() - started, result: undefined });
      }
      // The schema of a name is that of its view.
      const view = views[name] as (request: unknown, visitor: Visitor) => Promise<Api[ApiName]['answer']>;
      const body = await view(REQUESTS[name].parse(request), visitor);
      if (!isWorking(body)) end('ok');
      return { status: 200, body };
    } catch (error) {
      end(error instanceof GatewayError ? error.code : 'INTERNAL');
      return failure(error, log);
    }
  };
  return {
    async answer(name, request, principal) {
      if (!isApiName(name)) return { status: 404, body: { error: `The page has no request ${name}.` } };
      const answered = reply(name, request, principal);
      if (name !== 'overview') return answered;
      return withTimeout(answered, OVERVIEW_MS, () => {
        // The index is written after its last skill was read: nothing goes back to the beginning then.
        share = Math.max(share, indexing() ?? 0);
        const body: Api['overview']['answer'] = { state: 'working', share };
        return { status: 200, body };
      });
    },
  };
}

function makeViews(options: ExplorerOptions): Views {
  const { auditFile, fetchedIn, indexing = () => null } = options;
  const jobs = new CachedJobs(options);
  const remarks = new Remarks();
  return {
    async overview(_, { principal: { id }, view, everything }) {
      const { reader } = await view.current();
      const sources = reader.facetCounts('source:').length;
      const counts = { indexing: everything ? indexing() : null, skills: reader.documents, sources };
      return { state: 'done', result: { content: digestContent(reader), principal: id, ...counts } };
    },
    search: (request, { gateway }) => searchView(request, gateway),
    async cards({ ids }, { view }) {
      const { reader } = await view.current();
      const ordinals = ids.flatMap((id) => reader.ordinalOf(id) ?? []);
      return ordinals.map((ordinal) => toCard(entryAt(reader, ordinal)));
    },
    skill: ({ id }, { view, principal, everything }) =>
      skillView(id, view, {
        auditFile,
        who: everything ? null : principal.id,
        local: principal.id === LOCAL.id,
      }),
    file: ({ id, path }, { view }) => fileView(id, path, view),
    async improve(_, { view, everything, principal }) {
      const index = await view.current();
      const skills = Array.from(index.reader.ordinalsByKey(), (ordinal) => {
        const { id, source, folder } = entryAt(index.reader, ordinal);
        return { id, source, mine: !folder.startsWith(fetchedIn) };
      });
      const known = remarks.in(index, view);
      const pairs = jobs.progressOf('collisions', index, everything);
      const calls = callsIn(auditFile, everything ? null : principal.id) ?? [];
      const ids = skills.map(({ id }) => id);
      return {
        read: known.read,
        compared: pairs.state === 'done' ? 1 : pairs.state === 'working' ? pairs.share : null,
        ...worklist({
          skills,
          remarks: known.remarks,
          collisions: pairs.state === 'done' ? pairs.result : [],
          asked: (await summariseUsage(calls, ids, index.embedder)).weak,
        }),
      };
    },
    ranks: async (request, { view }) => draftRanks(request, await view.current()),
    map: async (_, { view, everything }) => jobs.progressOf('map', await view.current(), everything),
  };
}

/**
 * Most searches are of half-typed words: one is recorded only where the page says that it counts. Requests by which the page
 * follows the catalog are not recorded.
 */
const isRecorded = (name: ApiName, request: unknown): boolean =>
  name === 'search'
    ? REQUESTS.search.safeParse(request).data?.counts === true
    : !(['overview', 'cards'] as readonly ApiName[]).includes(name);

/** The page asks again and again until the work is done: only that answer is recorded. */
const isWorking = (body: Api[ApiName]['answer']): boolean =>
  Object.values({ body, ...body }).some(
    (part) => typeof part === 'object' && part !== null && 'state' in part && part.state === 'working',
  );

const isApiName = (name: string): name is ApiName => Object.hasOwn(REQUESTS, name);

/** Messages of documented errors are for callers; those of others stay in the log. */
function failure(error: unknown, log: (message: string) => void): Reply {
  if (error instanceof z.ZodError)
    return { status: 400, body: { error: z.prettifyError(error).replaceAll('\n', ' ') } };
  if (error instanceof GatewayError) {
    const status = error.code === 'SKILL_UNKNOWN' || error.code === 'PATH_UNKNOWN' ? 404 : 400;
    return { status, body: { error: error.message } };
  }
  log(`explore: ${errorMessage(error)}`);
  const message =
    error instanceof IndexError
      ? 'The index could not be read; the log says why.'
      : 'skillgate failed unexpectedly; its log says why.';
  return { status: 500, body: { error: message } };
}
