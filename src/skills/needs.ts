/**
 * What a skill needs before it can be used, as its front matter says: servers, programs, keys of accounts, platforms.
 * Authors write this in several notations. Nothing here is checked, and texts are left as they were written.
 */

import { isRecord } from '../base/json.ts';
import { programsIn } from './fields.ts';

/** Most needs of one skill, and most characters of one: a reader decides by the first few words. */
const MOST = 8;
const MAX_CHARACTERS = 60;
/** How deep notations of hosts are nested: `metadata.openclaw.requires.bins`. */
const MAX_DEPTH = 4;

/** Keys that hold lists of needs, and keys of such lists below them. */
const BLOCKS = new Set(['requires', 'prerequisites', 'requirements']);
const SERVERS = new Set(['mcp', 'mcp-server', 'mcp-servers', 'mcp_servers', 'mcpservers', 'servers']);
const LISTS = new Set(['bins', 'anybins', 'commands', 'env', 'env_vars', 'services', 'accounts', 'api_keys']);
const KEYS = new Set(['primaryenv', 'required_environment_variables', 'required_env']);
const PLATFORM_KEYS = new Set(['platforms', 'os']);

/** Names of platforms, by the words for them. */
const PLATFORMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    macos: 'macOS',
    darwin: 'macOS',
    mac: 'macOS',
    linux: 'Linux',
    windows: 'Windows',
    win32: 'Windows',
    ios: 'iOS',
    android: 'Android',
  }),
);
/** A skill for all of these needs no particular one. */
const DESKTOP = ['macOS', 'Linux', 'Windows'];

/** `Requires git and Python 3.11+. Works offline.` → `git and Python 3.11+`. */
const REQUIRES = /\b(?:requires?|needs?)\s+(?!it\b)(?:an? |the )?((?:[^.;()\n]|\.(?=\S))+)/i;

/** Distinct, in the order of the front matter. */
export function readNeeds(frontmatter: Readonly<Record<string, unknown>>): string[] {
  const found: string[] = [];
  collect(frontmatter, 0, found);
  found.push(...[frontmatter, Object(frontmatter.metadata)].flatMap(programsIn));
  const compatibility = frontmatter.compatibility;
  const required = typeof compatibility === 'string' ? REQUIRES.exec(compatibility)?.[1] : undefined;
  if (required !== undefined) found.push(required);
  const clean = found.map((need) => need.replace(/\s+/g, ' ').trim());
  return [...new Set(clean)].filter((need) => need !== '' && need.length <= MAX_CHARACTERS).slice(0, MOST);
}

function collect(block: Readonly<Record<string, unknown>>, depth: number, found: string[]): void {
  for (const [written, value] of Object.entries(block)) {
    const key = written.toLowerCase();
    if (SERVERS.has(key)) found.push(...namesIn(value).map((name) => `${name} MCP server`));
    else if (KEYS.has(key)) found.push(...namesIn(value));
    else if (PLATFORM_KEYS.has(key)) found.push(...platformsIn(value));
    else if (BLOCKS.has(key) && isRecord(value)) {
      collect(value, depth + 1, found);
      for (const [list, names] of Object.entries(value))
        if (LISTS.has(list.toLowerCase())) found.push(...namesIn(names));
    } else if (isRecord(value) && depth < MAX_DEPTH) collect(value, depth + 1, found);
  }
}

/** A text with commas, a list of texts, a list of mappings with a name, or a mapping from names to settings. */
function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.split(',').map((name) => name.trim());
  if (Array.isArray(value))
    return value.flatMap((item) => (isRecord(item) ? namesIn(item.name) : namesIn(item)));
  return isRecord(value) ? Object.keys(value).filter((name) => isRecord(value[name])) : [];
}

function platformsIn(value: unknown): string[] {
  const named = new Set(namesIn(value).map((name) => PLATFORMS.get(name.toLowerCase())));
  // A word that is no platform means that the key is about something else, such as hosts.
  if (named.has(undefined)) return [];
  return DESKTOP.every((name) => named.has(name)) ? [] : [[...named].join(' or ')];
}
