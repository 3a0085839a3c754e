/**
 * Answers the requests of Agentic Resource Discovery (draft 0.5) from a caller's gateway. Knows nothing of HTTP but the status of
 * an answer.
 */

import { ProtocolError, ResourceNotFoundError } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Config, Gateway, LibraryView } from '../../src/app/extension-api.ts';
import { errorMessage } from '../../src/base/errors.ts';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { SkillPublisher } from '../../src/mcp/published-skills.ts';
import { contentsAt } from '../../src/mcp/skills-extension.ts';
import { CursorError } from '../../src/search/answer.ts';
import {
  entriesWithQueries,
  type Publisher,
  REGISTRY_TYPE,
  registryIdentifier,
  toSkillUri,
} from './entries.ts';
import { RequestError, readListRequest, readSearchRequest, writePageToken } from './requests.ts';

type ArdConfig = NonNullable<Config['ard']>;

interface RegistryOptions {
  readonly config: ArdConfig;
  readonly log: (message: string) => void;
}

/** An answer: JSON, or a file of a skill. */
export type Reply =
  | { readonly status: number; readonly body: object }
  | { readonly status: 200; readonly bytes: Uint8Array; readonly mimeType: string };

/** Who asks: what this caller may do, and the whole library, of which only skills that the gateway names are read. */
interface Caller {
  readonly gateway: Gateway;
  readonly library: Pick<LibraryView, 'current'>;
}

export class Registry {
  readonly #config: ArdConfig;
  readonly #log: (message: string) => void;
  readonly #publisher: SkillPublisher;

  constructor({ config, log }: RegistryOptions) {
    this.#config = config;
    this.#log = log;
    this.#publisher = new SkillPublisher(log);
  }

  /** The manifest that says where the registry is. It names no skill: anyone may read it. */
  manifest(registry: string): object {
    const { publisher, displayName = publisher } = this.#config;
    return {
      specVersion: '1.0',
      host: { displayName },
      entries: [
        {
          identifier: registryIdentifier(publisher),
          displayName: `Agent skills of ${displayName}`,
          type: REGISTRY_TYPE,
          url: `${registry}/search`,
        },
      ],
    };
  }

  /** `path` is below the registry's URL. Never rejects. */
  async answer(
    path: string,
    request: unknown,
    open: () => Promise<Caller>,
    registry: string,
  ): Promise<Reply> {
    const publisher = { publisher: this.#config.publisher, registry };
    try {
      if (path === 'search')
        return { status: 200, body: await this.#search(request, await open(), publisher) };
      if (path === 'agents') return { status: 200, body: await list(request, await open(), publisher) };
      if (path === 'explore') return refusal(501, 'This registry counts no facets: use POST /search.');
      const uri = toSkillUri(path);
      if (uri !== null) return await this.#file(uri, (await open()).gateway);
      return refusal(404, 'Use POST /search or GET /agents.');
    } catch (error) {
      return this.#failure(error);
    }
  }

  async #search(request: unknown, { gateway, library }: Caller, publisher: Publisher): Promise<object> {
    const { text, filter, wantsReferrals, limit, page } = readSearchRequest(request);
    const referrals = this.#config.referrals.map((referral) => ({ ...referral, type: REGISTRY_TYPE }));
    const more = wantsReferrals ? { referrals } : {};
    if (filter === null) return { results: [], ...more };
    const answer = await gateway.search({
      query: text,
      limit,
      filter,
      excerpts: false,
      ...(page !== null && { cursor: page.cursor }),
    });
    const { hits, fit, nextCursor } = answer;
    const best = page?.best ?? Math.round((hits[0]?.score ?? 0) * 1e6) / 1e6;
    const entries = await entriesWithQueries(
      hits.map(({ entry }) => entry),
      library,
      publisher,
    );
    return {
      results: entries.map((entry, at) => ({
        ...entry,
        score: toScore(fit, hits[at]!.score, best),
        source: publisher.registry,
      })),
      ...more,
      ...(nextCursor !== undefined && { pageToken: writePageToken({ cursor: nextCursor, best }) }),
    };
  }

  async #file(uri: string, gateway: Gateway): Promise<Reply> {
    const { contents } = await contentsAt(gateway, uri, this.#publisher);
    const [file] = contents;
    if (file === undefined) throw new ResourceNotFoundError(uri);
    const bytes = 'text' in file ? Buffer.from(file.text, 'utf8') : Buffer.from(file.blob, 'base64');
    return { status: 200, bytes, mimeType: file.mimeType ?? 'application/octet-stream' };
  }

  #failure(error: unknown): Reply {
    if (error instanceof z.ZodError) return refusal(400, z.prettifyError(error).replaceAll('\n', ' '));
    if (error instanceof RequestError || error instanceof CursorError) return refusal(400, error.message);
    // The same for what is not there and for what the caller may not see.
    if (error instanceof ResourceNotFoundError) return refusal(404, 'There is no such file of a skill.');
    // It is another file by now, until the folder is checked again.
    if (error instanceof ProtocolError) return refusal(503, error.message);
    if (error instanceof GatewayError)
      return refusal(
        error.code.endsWith('_UNAVAILABLE') || error.code === 'RIGHTS_UNKNOWN' ? 503 : 400,
        error.message,
      );
    this.#log(`ard: ${errorMessage(error)}`);
    return refusal(500, 'skillgate failed unexpectedly; its log says why.');
  }
}

/** Entries in the order of the catalog. */
async function list(request: unknown, { gateway, library }: Caller, publisher: Publisher): Promise<object> {
  const { filter, limit, cursor } = readListRequest(request);
  if (filter === null) return { items: [], total: 0 };
  const { hits, searched, nextCursor } = await gateway.search({
    query: '',
    limit,
    filter,
    excerpts: false,
    foldTwins: false,
    ...(cursor !== undefined && { cursor }),
  });
  const entries = hits.map(({ entry }) => entry);
  return {
    items: await entriesWithQueries(entries, library, publisher),
    total: searched,
    ...(nextCursor !== undefined && { pageToken: nextCursor }),
  };
}

/** 0–100: the probability that some skill fits for the best hit of all, less for those below it. */
const toScore = (fit: number | null, score: number, best: number) =>
  Math.round(100 * (fit ?? 0) * Math.min(1, best > 0 ? score / best : 0));

const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export const errorBody = (status: number, message: string) => ({
  errorCode: CODES[status] ?? 'INTERNAL',
  message,
});

const refusal = (status: number, message: string): Reply => ({ status, body: errorBody(status, message) });
