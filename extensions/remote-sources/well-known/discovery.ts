/**
 * Parses a site's index of skills: Agent Skills discovery, version 0.2.0 (agentskills.io, “Well-Known URI”; originally
 * Cloudflare's Agent Skills Discovery RFC), and version 0.1.0, which lists the files of each skill without digests.
 */

import * as z from 'zod';
import { parseJson } from '../../../src/base/json.ts';
import { FetchError } from '../fetched/fetch-error.ts';

const PATH = '.well-known/agent-skills/index.json';
const OLDER_PATH = '.well-known/skills/index.json';
/** Identifies the version; it is compared, never fetched. */
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
/** The specification's rule for names, enforced because a name becomes a folder. */
const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

const TYPES = ['skill-md', 'archive'] as const;

/** Files of one skill of an older index: as many as the largest skill of the catalogs in bench/ has. */
const MAX_OLDER_FILES = 2_000;

/** An entry of the index. Description and other metadata are read from the skill itself. */
export type Listed = ListedArtifact | ListedFiles;

/** Version 0.2.0: one artifact. */
export interface ListedArtifact {
  readonly name: string;
  readonly type: (typeof TYPES)[number];
  readonly url: URL;
  /** `sha256:` and 64 hex digits, over the bytes at `url`. */
  readonly digest: string;
}

/** Version 0.1.0: files below a folder with the skill's name. */
export interface ListedFiles {
  readonly name: string;
  readonly type: 'files';
  /** The folder, with a slash at the end. */
  readonly url: URL;
  /** Relative to it; not checked yet. */
  readonly files: readonly string[];
}

/** An entry that cannot be used. */
interface Unusable {
  readonly id: 'entry-failed' | 'entry-unknown';
  /** The entry's name, else its position. */
  readonly path: string;
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

const olderSchema = z.object({ $schema: z.undefined().optional(), skills: z.array(z.unknown()).min(1) });
const olderEntrySchema = z.object({
  name: z.string().regex(NAME, 'must be 1 to 64 of a-z, 0-9 and single hyphens'),
  description: z.string(),
  files: z.array(z.string()).min(1).max(MAX_OLDER_FILES),
});

/** The URLs where a site's index may be, the newest version first. A URL that ends in `.json` is an index itself. */
export function listIndexUrls(site: URL): readonly [URL, ...URL[]] {
  const at = (path: string) => {
    const url = new URL(site);
    url.hash = '';
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
    return url;
  };
  const own = new URL(site);
  own.hash = '';
  return own.pathname.endsWith('.json') ? [own] : [at(PATH), at(OLDER_PATH)];
}

/** `base` is the index's URL. Throws if it is not an index of this version. */
export function readIndex(
  bytes: Uint8Array,
  base: URL,
): { readonly listed: readonly Listed[]; readonly unusable: readonly Unusable[] } {
  const json = parseJson(new TextDecoder().decode(bytes));
  const older = olderSchema.safeParse(json);
  if (older.success && older.data.skills.some((entry) => olderEntrySchema.safeParse(entry).success))
    return withoutRepeats(older.data.skills.map((value, at) => parseOlderEntry(value, at, base)));
  const parsed = indexSchema.safeParse(json);
  if (!parsed.success) {
    const isSchema = parsed.error.issues.some(({ path }) => path[0] === '$schema');
    const found = isSchema ? `its $schema is not ${SCHEMA}` : 'it has no list of skills';
    throw new FetchError(`The index cannot be used: ${found}. Ask its publisher for version 0.2.0.`);
  }
  return withoutRepeats(parsed.data.skills.map((value, at) => parseEntry(value, at, base)));
}

function withoutRepeats(entries: readonly (Listed | Unusable)[]): {
  readonly listed: readonly Listed[];
  readonly unusable: readonly Unusable[];
} {
  const listed = new Map<string, Listed>();
  const unusable: Unusable[] = [];
  for (const entry of entries) {
    if ('reason' in entry) unusable.push(entry);
    else if (!listed.has(entry.name)) listed.set(entry.name, entry);
    else
      unusable.push({ id: 'entry-failed', path: entry.name, reason: 'an earlier entry has the same name' });
  }
  return { listed: [...listed.values()], unusable };
}

function parseOlderEntry(value: unknown, at: number, base: URL): Listed | Unusable {
  const parsed = olderEntrySchema.safeParse(value);
  if (!parsed.success) return unusableAt(at, parsed.error);
  const { name, files } = parsed.data;
  return { name, type: 'files', url: new URL(`${name}/`, base), files };
}

function unusableAt(at: number, { issues: [issue] }: z.ZodError): Unusable {
  const reason = `${issue?.path.join('.') || 'it'}: ${issue?.message}`;
  return { id: 'entry-failed', path: `skills[${at}]`, reason };
}

function parseEntry(value: unknown, at: number, base: URL): Listed | Unusable {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) return unusableAt(at, parsed.error);
  const { name, type, url, digest } = parsed.data;
  const known = TYPES.find((one) => one === type);
  if (known === undefined) {
    const reason = `its type is ${JSON.stringify(type.slice(0, 40))}, which is neither skill-md nor archive`;
    return { id: 'entry-unknown', path: name, reason };
  }
  if (!URL.canParse(url, base.href))
    return { id: 'entry-failed', path: name, reason: 'its url is not a URL' };
  return { name, type: known, url: new URL(url, base), digest };
}
