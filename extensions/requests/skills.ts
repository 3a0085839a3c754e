/** Which skills carry requests, and whose. What is written for them is `kept-file.ts`. */

import type { CatalogEntry, Gateway, LibraryView, Reader } from '../../src/app/extension-api.ts';
import { keptKey } from '../../src/sources/kept-requests.ts';
import { KeptFile } from './kept-file.ts';

/** `old`: written by the agent before the skill changed. They count, and may be written again. */
export type State = 'none' | 'author' | 'agent' | 'old';

export interface SkillRow {
  readonly entry: CatalogEntry;
  /** `<source>:<path>`, whether its id has the source or not. */
  readonly key: string;
  readonly state: State;
  /** All requests that the index holds of it. */
  readonly requests: readonly string[];
}

/** Skills of one page of the gateway's list. */
const PAGE = 200;

/** All skills that the caller of the gateway may see, in order of id. `files`: where the requests of a source's skills are kept. */
export async function listRows(
  gateway: Pick<Gateway, 'list'>,
  library: Pick<LibraryView, 'current'>,
  files: ReadonlyMap<string, string>,
): Promise<SkillRow[]> {
  const { reader } = await library.current();
  const kept = new Map([...new Set(files.values())].map((file) => [file, new KeptFile(file).digests()]));
  const rows: SkillRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await gateway.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    for (const entry of page.entries) {
      const { id, source, digest } = entry;
      const key = keptKey(entry);
      const written = kept.get(files.get(source) ?? '')?.get(key);
      const ordinal = reader.ordinalOf(id);
      const requests = ordinal === null ? [] : requestsIn(reader, ordinal);
      const others = requests.length > 0 ? 'author' : 'none';
      const state = written === undefined ? others : written === digest ? 'agent' : 'old';
      rows.push({ entry, key, state, requests });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return rows;
}

const requestsIn = ({ passages }: Reader, ordinal: number): string[] =>
  passages.kinds(ordinal).flatMap((kind, at) => (kind === 'request' ? passages.get(ordinal, at).text : []));

/** The next skills to write for: those without requests, then those whose requests are old. */
export function nextToWrite(rows: readonly SkillRow[], size: number): readonly SkillRow[] {
  const without = rows.filter(({ state }) => state === 'none');
  return [...without, ...rows.filter(({ state }) => state === 'old')].slice(0, size);
}

/** The file of each source. */
export const filesOfSources = (
  sources: readonly { readonly name: string; readonly requests?: string | undefined }[],
): ReadonlyMap<string, string> =>
  new Map(sources.flatMap(({ name, requests }) => (requests === undefined ? [] : [[name, requests]])));
