/**
 * The Skills extension of the protocol (SEP-2640) over the catalog: `skills/list`, `skills/get`, reading of files and
 * of folders, through the SDK's own implementation. Only skills that keep the specification's rules are in it; the
 * others are found and loaded by the tools, and `validate` says what they lack.
 */

import {
  type McpServer,
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
import type { Gateway } from '../gateway/gateway.ts';
import { sha256Of } from '../skills/digest.ts';
import { whenChanged } from './changes.ts';
import { protocolErrorOf } from './errors.ts';
import type { Log } from './log.ts';
import {
  PAGE,
  type PublishedFile,
  type PublishedSkill,
  pathBelow,
  SkillPublisher,
} from './published-skills.ts';
import type { Extension } from './server.ts';

/** `resources/list` cannot be paged: larger catalogs are listed by `skills/list` alone. */
const MOST_LISTED_RESOURCES = 200;
/** How long a client may keep what it was told, ms: its digests are checked when it reads. */
const TTL_MS = 60_000;

const SCHEME = 'skill://';
const SKILL_FILE = '/SKILL.md';
/** Where a skill's instructions are; `skill` is its source and folder. */
const SKILL_TEMPLATE = `${SCHEME}{+skill}${SKILL_FILE}`;
/** A completion holds a hundred at most; one more says that there are more. */
const MOST_COMPLETIONS = 101;

/** What the extension needs of the gateway. */
export type SkillLibrary = Pick<Gateway, 'completeUri' | 'onChange' | 'publishable' | 'publishableAt'>;

/** One for all servers of a process: the publisher remembers what it has hashed. Each server has its principal's source. */
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
      // Before the extension, whose own template takes every URI and completes none.
      server.registerResource(
        'skill',
        new ResourceTemplate(SKILL_TEMPLATE, { list: undefined, complete: { skill: complete } }),
        {
          title: 'Skill',
          description: 'Instructions of a skill; other files lie beside them',
          mimeType: 'text/markdown',
          cacheHint,
        },
        async (uri, _variables, ctx) => contentsOf(uri, await source.read(uri.href, ctx)),
      );
      extension.attach(server);
      announceChanges(server, library, log);
    },
  };
}

type CompleteSource = Required<SkillSource>;

function skillSource(library: () => Promise<SkillLibrary>, publisher: SkillPublisher): CompleteSource {
  const at = async (uri: string) => {
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
      const place = await at(uri);
      return place?.published.skill.uri === uri ? place.published.skill : undefined;
    },

    async read(uri) {
      const place = await at(uri);
      const path = place && pathBelow(place.published.root, uri);
      const file = place?.published.files.find((each) => each.path === path);
      if (place === undefined || file === undefined) return undefined;
      const bytes = await place.found.bytes(file.path);
      if (`sha256:${sha256Of(bytes)}` !== file.digest)
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          `${uri} has changed since it was indexed: get its skill again.`,
        );
      const text = losslessText(bytes);
      return text === undefined ? { bytes, mimeType: file.mimeType } : { text, mimeType: file.mimeType };
    },

    async readDirectory(uri) {
      const place = await at(uri);
      return place && childrenOf(place.published, uri.replace(/\/$/, ''));
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

/** What may stand for `skill` in the template, for what was written of it. */
function completion(library: () => Promise<SkillLibrary>, log: Log) {
  return async (written = ''): Promise<string[]> => {
    const text = decoded(written);
    if (text === undefined) return [];
    try {
      const found = await (await library()).completeUri({ text, limit: MOST_COMPLETIONS });
      return found.map((uri) => uri.slice(SCHEME.length, -SKILL_FILE.length));
    } catch (error) {
      throw protocolErrorOf(error, log);
    }
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

const base64Of = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** The source whose failures are JSON-RPC errors that give nothing of the inside away. */
function withWireErrors(source: CompleteSource, log: Log): CompleteSource {
  const told = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      throw protocolErrorOf(error, log);
    }
  };
  return {
    list: (params, ctx) => told(source.list(params, ctx)),
    get: (uri, ctx) => told(source.get(uri, ctx)),
    read: (uri, ctx) => told(source.read(uri, ctx)),
    readDirectory: (uri, params, ctx) => told(source.readDirectory(uri, params, ctx)),
    listResources: (ctx) => told(source.listResources(ctx)),
  };
}

/** Tells the server's client of each new generation, for as long as it is connected. */
function announceChanges(server: McpServer, library: () => Promise<SkillLibrary>, log: Log): void {
  const announce = () => {
    if (server.isConnected())
      server.server
        .sendResourceListChanged()
        .catch((error) => log(`resources/list_changed: ${String(error)}`));
  };
  const stop = whenChanged(library, announce);
  const onclose = server.server.onclose;
  server.server.onclose = () => {
    stop();
    onclose?.();
  };
}

/** Files and folders right below a folder of the skill, in order of URI; undefined where it is not one. */
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

/** UTF-8 whose encoding gives the same bytes again, byte-order mark included; undefined for anything else. */
function losslessText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
