/**
 * Where skills come from: folders, git, archives, well-known sites, other MCP servers.
 *
 * A remote source fetches into a folder of its own and is scanned there, so it serves what it last held while its origin is
 * away. `cached-source.ts` is common to all kinds: one fetch at a time, time limit, pin of the lockfile, reports of failures. `store/`
 * keeps objects by SHA-256 and a tree of hard links to them. A fetch ends in new contents or changes nothing. What an origin
 * offers is judged by name and size before it is downloaded (`store/select-files.ts`). git: no working tree, so no hook, filter or
 * attribute of a repository runs. Archives: limits count the bytes that come out. MCP: each skill is verified by itself.
 */

export { archiveSource } from './archive.ts';
export {
  type FetchedSource,
  type FetchOptions,
  isFetched,
  isMcpSource,
  type SourceStatus,
} from './fetched.ts';
export { gitSource } from './git.ts';
export { type LocalSourceOptions, localSource } from './local.ts';
export { FetchContext } from './mcp/fetch-context.ts';
export { type McpSourceOptions, mcpSource } from './mcp/source.ts';
export { listSkills, type Via } from './mcp/strategies.ts';
export { keepFresh, refreshAll, untilDue } from './refresh.ts';
export { ageText, staleNote } from './staleness.ts';
export { wellKnownSource } from './well-known.ts';
