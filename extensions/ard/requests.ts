/** Requests of Agentic Resource Discovery: what arrives is unknown until it has passed here. */

import * as z from 'zod';
import type { Filter } from '../../src/search/answer.ts';
import { SKILL_TYPE } from './entries.ts';

/** A request that cannot be answered as it is. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
}

/** Skills of one answer: the most that a search gives. */
const MAX_PAGE = 50;
/** Characters of texts, and values and fields of a filter. */
const TEXT = 8_000;
const TOKEN = 200;
const VALUES = 100;

const value = z.string().max(TEXT);
const searchRequest = z.strictObject({
  query: z.strictObject({
    text: value,
    filter: z.record(z.string().max(TOKEN), z.union([value, z.array(value).max(VALUES)])).optional(),
  }),
  federation: z.enum(['auto', 'referrals', 'none']).default('auto'),
  pageSize: z.int().min(1).default(10),
  pageToken: z.string().max(TOKEN).optional(),
});
const listRequest = z.object({
  filter: value.optional(),
  orderBy: z.string().max(TOKEN).optional(),
  pageSize: z.coerce.number().int().min(1).max(100).default(20),
  pageToken: z.string().max(TOKEN).optional(),
});

/** A condition of a filter: the field has one of the values. */
type Conditions = Readonly<Record<string, readonly string[]>>;

/** Throws `RequestError` and `ZodError`. */
export function readSearchRequest(request: unknown) {
  const { query, federation, pageSize, pageToken } = searchRequest.parse(request);
  const conditions = Object.entries(query.filter ?? {}).map(([field, values]) => [field, [values].flat()]);
  return {
    text: query.text,
    filter: toFilter(Object.fromEntries(conditions)),
    wantsReferrals: federation === 'referrals',
    limit: Math.min(pageSize, MAX_PAGE),
    page: pageToken === undefined ? null : readPageToken(pageToken),
  };
}

/** Throws `RequestError` and `ZodError`. */
export function readListRequest(request: unknown) {
  const { filter, orderBy, pageSize, pageToken } = listRequest.parse(request);
  if (orderBy !== undefined)
    throw new RequestError('Entries come in the order of the catalog: leave orderBy out.');
  return {
    filter: toFilter(filter === undefined ? {} : readFilter(filter)),
    limit: Math.min(pageSize, MAX_PAGE),
    cursor: pageToken,
  };
}

/** The next page of a search: its cursor, and the first score of all pages, to which the others are compared. */
interface SearchPage {
  readonly cursor: string;
  readonly best: number;
}

export const writePageToken = ({ cursor, best }: SearchPage) => `${best}~${cursor}`;

function readPageToken(token: string): SearchPage {
  const [, best, cursor] = /^(0|1|0\.\d{1,6})~(.+)$/.exec(token) ?? [];
  if (best === undefined || cursor === undefined)
    throw new RequestError('pageToken was not issued by this registry: search again without it.');
  return { cursor, best: Number(best) };
}

/** `field = 'value'`, joined by AND. */
const CONDITION = /^\s*([\w.]{1,200})\s*=\s*(?:'([^']*)'|"([^"]*)")\s*(?:AND\b|$)/i;

function readFilter(text: string): Conditions {
  const conditions: Record<string, string[]> = {};
  for (let rest = text; rest.trim() !== ''; ) {
    const [whole, field, single, double] = CONDITION.exec(rest) ?? [];
    if (whole === undefined || field === undefined)
      throw new RequestError(
        `filter is not understood at ${JSON.stringify(rest.slice(0, 80))}: write type = '${SKILL_TYPE}' AND tags = 'pdf'.`,
      );
    if (Object.hasOwn(conditions, field)) throw new RequestError(`filter names ${field} twice.`);
    conditions[field] = [single ?? double ?? ''];
    rest = rest.slice(whole.length);
  }
  return conditions;
}

/** Fields that every entry has, but by which skills cannot be selected. */
const UNSELECTABLE =
  /^(identifier|displayName|url|description|version|metadata\.(name|digest|license|suspicious))$/;

/** The skills that meet all conditions; null where no skill can. */
function toFilter(conditions: Conditions): Filter | null {
  const { type, tags, 'metadata.source': sources, ...others } = conditions;
  const unselectable = Object.keys(others).find((field) => UNSELECTABLE.test(field));
  if (unselectable !== undefined)
    throw new RequestError(`filter cannot name ${unselectable}, only type, tags and metadata.source.`);
  // Other fields are in no entry, and an empty list of alternatives is met by none.
  const isImpossible =
    Object.keys(others).length > 0 || [type, tags, sources].some((values) => values?.length === 0);
  if (isImpossible || (type !== undefined && !type.includes(SKILL_TYPE))) return null;
  return {
    audience: 'models',
    ...(tags !== undefined && { tags }),
    ...(sources !== undefined && { sources }),
  };
}
