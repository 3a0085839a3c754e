/**
 * Parses a site's index of skills: Agent Skills discovery, version 0.2.0 (agentskills.io, “Well-Known URI”; originally
 * Cloudflare's Agent Skills Discovery RFC).
 */

import * as z from 'zod';
import { FetchError } from '../errors.ts';

const PATH = '.well-known/agent-skills/index.json';
/** Identifies the version; it is compared, never fetched. */
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
/** The specification's rule for names, enforced because a name becomes a folder. */
const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

const TYPES = ['skill-md', 'archive'] as const;

/** An entry of the index. Description and other metadata are read from the skill itself. */
export interface Listed {
  readonly name: string;
  readonly type: (typeof TYPES)[number];
  readonly url: URL;
  /** `sha256:` and 64 hex digits, over the bytes at `url`. */
  readonly digest: string;
}

/** An entry that cannot be used. */
export interface Unusable {
  /** The entry's name, else its position. */
  readonly path: string;
  readonly isUnknownType: boolean;
  readonly reason: string;
}

const indexSchema = z.object({ $schema: z.literal(SCHEMA), skills: z.array(z.unknown()) });
const entrySchema = z.object({
  name: z.string().regex(NAME, 'must be 1 to 64 of a-z, 0-9 and single hyphens'),
  type: z.string(),
  description: z.string(),
  url: z.string().min(1),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hex digits in lower case'),
});

/** The URL of a site's index. A URL that ends in `.json` is an index itself. */
export function indexUrlOf(site: URL): URL {
  const url = new URL(site);
  url.hash = '';
  if (!url.pathname.endsWith('.json')) url.pathname = `${url.pathname.replace(/\/+$/, '')}/${PATH}`;
  return url;
}

/** `base` is the index's URL. Throws `FETCH_INVALID` if it is not an index of this version. */
export function readIndex(
  bytes: Uint8Array,
  base: URL,
): { readonly listed: readonly Listed[]; readonly unusable: readonly Unusable[] } {
  const parsed = indexSchema.safeParse(jsonOf(bytes));
  if (!parsed.success) {
    const isSchema = parsed.error.issues.some(({ path }) => path[0] === '$schema');
    const found = isSchema ? `its $schema is not ${SCHEMA}` : 'it has no list of skills';
    throw new FetchError(
      'FETCH_INVALID',
      `The index cannot be used: ${found}. Ask its publisher for version 0.2.0.`,
    );
  }
  const listed = new Map<string, Listed>();
  const unusable: Unusable[] = [];
  for (const [at, value] of parsed.data.skills.entries()) {
    const entry = entryOf(value, at, base);
    if ('reason' in entry) unusable.push(entry);
    else if (!listed.has(entry.name)) listed.set(entry.name, entry);
    else
      unusable.push({
        path: entry.name,
        isUnknownType: false,
        reason: 'an earlier entry has the same name',
      });
  }
  return { listed: [...listed.values()], unusable };
}

function entryOf(value: unknown, at: number, base: URL): Listed | Unusable {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const reason = `${issue?.path.join('.') || 'it'}: ${issue?.message}`;
    return { path: `skills[${at}]`, isUnknownType: false, reason };
  }
  const { name, type, url, digest } = parsed.data;
  const known = TYPES.find((one) => one === type);
  if (known === undefined) {
    const reason = `its type is ${JSON.stringify(type.slice(0, 40))}, which is neither skill-md nor archive`;
    return { path: name, isUnknownType: true, reason };
  }
  if (!URL.canParse(url, base.href))
    return { path: name, isUnknownType: false, reason: 'its url is not a URL' };
  return { name, type: known, url: new URL(url, base), digest };
}

/** Undefined if it is not JSON: no schema accepts that. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
