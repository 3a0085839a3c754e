/**
 * The protocol's Skills extension (SEP-2640) over the catalog: `skills/list`, `skills/get`, reading files and folders,
 * through the SDK's implementation. It holds only skills that keep the specification's rules; the tools find and load
 * the others, and `skillgate validate` says what they lack.
 */

import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import {
  DIRECTORY_MIME_TYPE,
  type SkillReadResult,
  type SkillSource,
  SkillsExtension,
} from '@modelcontextprotocol/server/ext/skills';
import type { Gateway } from '../gateway/public.ts';
import { sha256Of } from '../skills/public.ts';
import { notifyOfChanges } from './changes.ts';
import { type Log, protocolErrorOf, rethrowAs } from './errors.ts';
import {
  PAGE,
  type PublishedFile,
  type PublishedSkill,
  pathBelow,
  SkillPublisher,
} from './published-skills.ts';
import type { Extension } from './server.ts';
import { base64Of, exactText } from './text.ts';

/** The SDK does not page `resources/list`: larger catalogs are listed only by `skills/list`. */
const MOST_LISTED_RESOURCES = 200;
/** How long a client may cache answers, ms: it checks the digests when it reads. */
const TTL_MS = 60_000;

const SCHEME = 'skill://';
const SKILL_FILE = '/SKILL.md';
/** URI of a skill's instructions; `skill` is its source and folder. */
const SKILL_TEMPLATE = `${SCHEME}{+skill}${SKILL_FILE}`;
/** A completion holds at most 100 values; one more makes the SDK report that there are more. */
const MOST_COMPLETIONS = 101;

/** What the extension needs of the gateway. */
export type SkillLibrary = Pick<Gateway, 'completeUri' | 'onChange' | 'publishable' | 'publishableAt'>;

/** One for all servers of a process: they share the publisher's cache. Each server has its principal's source. */
export function skillsExtension(log: Log, publisher = new SkillPublisher(log)): Extension {
  const cacheHint = { ttlMs: TTL_MS, cacheScope: 'private' } as const;
  return {
    attach(server, { gateway: library }) {
      const source = withWireErrors(skillSource(library, publisher), log);
      const complete = completion(library, log);
      const extension = new SkillsExtension({
        source,
        cacheHint,
        onWarning: ({ path, message }) => log(`${path}: ${message}`),
      });
      // Registered before the extension, whose own template matches every URI and has no completion.
      server.registerResource(
        'skill',
        new ResourceTemplate(SKILL_TEMPLATE, { list: undefined, complete: { skill: complete } }),
        {
          title: 'Skill',
          description: 'Instructions of a skill; its other files are next to them',
          mimeType: 'text/markdown',
          cacheHint,
        },
        async (uri, _variables, ctx) => contentsOf(uri, await source.read(uri.href, ctx)),
      );
      extension.attach(server);
      notifyOfChanges(server, library, () => server.server.sendResourceListChanged(), log);
    },
  };
}

type CompleteSource = Required<SkillSource>;

function skillSource(library: () => Promise<SkillLibrary>, publisher: SkillPublisher): CompleteSource {
  const locate = async (uri: string) => {
    const found = await (await library()).publishableAt(uri);
    const published = found && (await publisher.publish(found));
    return found && published && { found, published };
  };
  return {
    async list({ cursor }) {
      const page = await (await library()).publishable({
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      });
      const published = await publisher.publishAll(page.skills);
      return {
        skills: published.flatMap((each) => (each === undefined ? [] : [each.skill])),
        ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
      };
    },

    async get(uri) {
      const located = await locate(uri);
      return located?.published.skill.uri === uri ? located.published.skill : undefined;
    },

    async read(uri) {
      const located = await locate(uri);
      const path = located && pathBelow(located.published.root, uri);
      const file = located?.published.files.find((each) => each.path === path);
      if (located === undefined || file === undefined) return undefined;
      const bytes = await located.found.bytes(file.path);
      if (`sha256:${sha256Of(bytes)}` !== file.digest)
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          `${uri} has changed since it was indexed: get its skill again.`,
        );
      const text = exactText(bytes);
      return text === undefined ? { bytes, mimeType: file.mimeType } : { text, mimeType: file.mimeType };
    },

    async readDirectory(uri) {
      const located = await locate(uri);
      return located && childrenOf(located.published, uri.replace(/\/$/, ''));
    },

    async listResources() {
      const page = await (await library()).publishable({ limit: MOST_LISTED_RESOURCES });
      if (page.nextCursor !== undefined) return [];
      return page.skills.map(({ entry: { uri, name, description } }) => ({
        uri,
        name,
        description,
        mimeType: 'text/markdown',
      }));
    },
  };
}

/** Completions of `skill` in the template. */
function completion(library: () => Promise<SkillLibrary>, log: Log) {
  return async (written = ''): Promise<string[]> => {
    const text = decoded(written);
    if (text === undefined) return [];
    return rethrowAs(
      (error) => protocolErrorOf(error, log),
      async () => {
        const found = await (await library()).completeUri({ text, limit: MOST_COMPLETIONS });
        return found.map((uri) => uri.slice(SCHEME.length, -SKILL_FILE.length));
      },
    );
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function contentsOf(uri: URL, result: SkillReadResult | undefined): ReadResourceResult {
  if (result === undefined) throw new ResourceNotFoundError(uri.href);
  const mimeType = result.mimeType ?? 'application/octet-stream';
  const content = 'text' in result ? { text: result.text } : { blob: base64Of(result.bytes) };
  return { contents: [{ uri: uri.href, mimeType, ...content }] };
}

/** The same source, but its failures are JSON-RPC errors without internal details. */
function withWireErrors(source: CompleteSource, log: Log): CompleteSource {
  const answer = <Result>(work: () => Result | Promise<Result>) =>
    rethrowAs((error) => protocolErrorOf(error, log), work);
  return {
    list: (params, ctx) => answer(() => source.list(params, ctx)),
    get: (uri, ctx) => answer(() => source.get(uri, ctx)),
    read: (uri, ctx) => answer(() => source.read(uri, ctx)),
    readDirectory: (uri, params, ctx) => answer(() => source.readDirectory(uri, params, ctx)),
    listResources: (ctx) => answer(() => source.listResources(ctx)),
  };
}

/** Files and folders directly in a folder of the skill, in order of URI; undefined if there is no such folder. */
function childrenOf(
  { root, files }: PublishedSkill,
  directory: string,
): { resources: Resource[] } | undefined {
  const inside = files.filter(({ uri }) => uri.startsWith(`${directory}/`));
  if (inside.length === 0 || !`${directory}/`.startsWith(`${root}/`)) return undefined;
  const children = new Map(inside.map((file) => childOf(file, directory)).map((child) => [child.uri, child]));
  return { resources: [...children.values()].toSorted((a, b) => (a.uri < b.uri ? -1 : 1)) };
}

function childOf({ uri, size, mimeType }: PublishedFile, directory: string): Resource {
  const [name = '', ...deeper] = uri.slice(directory.length + 1).split('/');
  const child = { uri: `${directory}/${name}`, name: decodeURIComponent(name) };
  return deeper.length > 0 ? { ...child, mimeType: DIRECTORY_MIME_TYPE } : { ...child, mimeType, size };
}
