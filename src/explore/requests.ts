/** Schemas of the page's requests: what arrives is unknown until it has passed here. */

import * as z from 'zod';
import type { Api, ApiName } from './api.ts';

/** Longest texts, characters: a search cuts queries at 8,000 anyway. */
const QUERY = 8_000;
const CURSOR = 1_000;

const query = z.string().max(QUERY);

type Schemas = { readonly [Name in ApiName]: z.ZodType<Api[Name]['request']> };

export const REQUESTS: Schemas = {
  overview: z.strictObject({}),
  search: z.strictObject({ query, cursor: z.string().max(CURSOR).exactOptional() }),
};
