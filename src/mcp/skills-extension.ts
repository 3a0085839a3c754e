/**
 * The protocol's Skills extension (SEP-2640) over the catalog: `skills/list`, `skills/get`, reading files and folders.
 * Methods of our own, because the SDK's drop every entry with a rule of their own that it breaks: nested metadata, a long
 * description. What the extension itself demands is `published-skills.ts`.
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
  RESOURCES_DIRECTORY_READ_METHOD,
  SKILLS_EXTENSION_ID,
  SKILLS_GET_METHOD,
  SKILLS_LIST_METHOD,
  type Skill,
} from '@modelcontextprotocol/server/ext/skills';
import * as z from 'zod';
import { toContents } from '../base/text.ts';
import type { Gateway, SkillOnDisk } from '../gateway/gateway.ts';
import { demandWhole } from '../gateway/skill-files.ts';
import { sha256InTurns } from '../skills/digest.ts';
import { notifyOfChanges } from './changes.ts';
import { answering, type Log, type RequestContext, toProtocolError } from './errors.ts';
import {
  bytesServed,
  fileAt,
  type PublishedFile,
  type PublishedSkill,
  SkillPublisher,
  skillFileUri,
} from './published-skills.ts';
import type { ServerFeature } from './server.ts';
import { skillsPage } from './skill-pages.ts';

/** Skills on a page of `resources/list`: some 40 KB. */
const RESOURCES = 100;
/** How long a client may cache answers, ms: it checks the digests when it reads. */
const TTL_MS = 60_000;

const SCHEME = 'skill://';
const SKILL_FILE = '/SKILL.md';
/** URI of a skill's instructions; `skill` is its source and folder. */
const SKILL_TEMPLATE = `${SCHEME}{+skill}${SKILL_FILE}`;
const FILE_TEMPLATE = `${SCHEME}{+path}`;
/** A completion holds at most 100 values; one more makes the SDK report that there are more. */
const MAX_COMPLETIONS = 101;

const pageParams = z.object({ cursor: z.string().optional() });
const uriParams = z.object({ uri: z.string() });

/** What the extension needs of the gateway. */
export type SkillLibrary = Pick<
  Gateway,
  'completeUri' | 'list' | 'onChange' | 'publishable' | 'publishableAt'
>;

/** One for all servers of a process: they share the publisher's cache. Each server has its principal's library. */
export function skillsExtension(log: Log, publisher = new SkillPublisher(log)): ServerFeature {
  const cacheHint = { ttlMs: TTL_MS, cacheScope: 'private' } as const;
  return {
    attach(mcp, { era, gateway, opened }) {
      const { server } = mcp;
      const answer: Answer = answering(gateway, (error) => toProtocolError(error, log));
      // Older revisions have no such fields.
      const cached = era === 'legacy' ? {} : cacheHint;
      registerTemplates(mcp, answer, publisher, cacheHint);
      server.setRequestHandler(SKILLS_LIST_METHOD, { params: pageParams }, ({ cursor }, ctx) =>
        answer(ctx, async (library) => ({
          ...(await skillsPage(library, publisher, cursor, (all) =>
            all.map(({ published }) => published.skill),
          )),
          ...cached,
        })),
      );
      server.setRequestHandler(SKILLS_GET_METHOD, { params: uriParams }, ({ uri }, ctx) =>
        answer(ctx, async (library) => ({ skill: await skillAt(library, uri, publisher), ...cached })),
      );
      server.setRequestHandler(RESOURCES_DIRECTORY_READ_METHOD, { params: uriParams }, ({ uri }, ctx) =>
        answer(ctx, async (library) => ({ resources: await childrenAt(library, uri, publisher), ...cached })),
      );
      server.setRequestHandler('resources/list', ({ params }, ctx) =>
        answer(ctx, (library) => resourcesPage(library, params?.cursor)),
      );
      server.registerCapabilities({ extensions: { [SKILLS_EXTENSION_ID]: { directoryRead: true } } });
      notifyOfChanges(mcp, opened, () => server.sendResourceListChanged(), log);
    },
  };
}

type Answer = ReturnType<typeof answering<SkillLibrary>>;

function registerTemplates(
  mcp: McpServer,
  answer: Answer,
  publisher: SkillPublisher,
  cacheHint: { readonly ttlMs: number; readonly cacheScope: 'private' },
): void {
  const complete = (written = '') => completions(answer, written);
  const read = ({ href }: URL, _: unknown, ctx: RequestContext) =>
    answer(ctx, (library) => contentsAt(library, href, publisher));
  mcp.registerResource(
    'skill',
    new ResourceTemplate(SKILL_TEMPLATE, { list: undefined, complete: { skill: complete } }),
    {
      title: 'Skill',
      description: 'Instructions of a skill; its other files are next to them',
      mimeType: 'text/markdown',
      cacheHint,
    },
    read,
  );
  mcp.registerResource(
    'skill-file',
    new ResourceTemplate(FILE_TEMPLATE, { list: undefined }),
    { title: 'File of a skill', description: 'References, scripts and assets', cacheHint },
    read,
  );
}

/** The entry of the skill whose skill file is at that URI. Throws -32602 if there is none. */
export async function skillAt(
  library: Pick<Gateway, 'publishableAt'>,
  uri: string,
  publisher: SkillPublisher,
): Promise<Skill> {
  const found = await library.publishableAt(uri);
  const published = found && (await publisher.publish(found));
  if (typeof published === 'object' && published.skill.uri === uri) return published.skill;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No skill is served at ${uri}`);
}

/** The bytes of a file of a skill, as its digest says. Throws `ResourceNotFoundError` where the caller sees none there. */
export async function contentsAt(
  library: Pick<SkillLibrary, 'publishableAt'>,
  uri: string,
  publisher: SkillPublisher,
): Promise<ReadResourceResult> {
  const found = await library.publishableAt(uri);
  const file = found && fileAt(found, uri);
  if (found === undefined || file === undefined) throw new ResourceNotFoundError(uri);
  const { path } = file;
  demandWhole(path, file.size);
  const bytes = await bytesServed(found, path);
  const digest = findDigest(await publisher.publish(found), skillFileUri(found, path));
  if (digest !== null && digest !== `sha256:${await sha256InTurns(bytes)}`)
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `${uri} has changed since it was indexed: get its skill again.`,
    );
  const { mediaTypeFrom } = await import('../skills/media-types.ts');
  return { contents: [{ uri, mimeType: mediaTypeFrom(bytes, path), ...toContents(bytes) }] };
}

/** The published digest; null for a skill that is left out, whose files can be read all the same. */
function findDigest(published: Awaited<ReturnType<SkillPublisher['publish']>>, uri: string): string | null {
  if (typeof published === 'object') return published.files.find((file) => file.uri === uri)?.digest ?? '';
  return published === 'changed' ? '' : null;
}

/** The skill files, without their other files, which `skills/list` and directories list. */
async function resourcesPage(library: SkillLibrary, cursor: string | undefined) {
  const page = await library.list({ limit: RESOURCES, cursor });
  return {
    resources: page.entries.map(({ uri, description }) => ({
      uri,
      name: uri.slice(0, -SKILL_FILE.length).replace(/^.*\//, ''),
      description,
      mimeType: 'text/markdown',
    })),
    nextCursor: page.nextCursor,
  };
}

/** Completions of `skill` in the template. */
async function completions(answer: Answer, written: string): Promise<string[]> {
  const text = decoded(written);
  if (text === undefined) return [];
  const found = await answer(null, (library) => library.completeUri({ text, limit: MAX_COMPLETIONS }));
  return found.map((uri) => uri.slice(SCHEME.length, -SKILL_FILE.length));
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Files and folders directly in a folder of a skill, in order of URI. Throws -32602 if there is no such folder. */
async function childrenAt(
  library: SkillLibrary,
  uri: string,
  publisher: SkillPublisher,
): Promise<Resource[]> {
  const directory = uri.replace(/\/$/, '');
  const found = await library.publishableAt(directory);
  const published = found && (await publisher.publish(found));
  const inside = typeof published === 'object' ? filesBelow(published, found as SkillOnDisk, directory) : [];
  if (inside.length === 0)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${uri} is not a directory resource`);
  const children = new Map(
    inside.map((file) => toResource(file, directory)).map((child) => [child.uri, child]),
  );
  return [...children.values()].toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
}

const filesBelow = ({ files }: PublishedSkill, { root }: SkillOnDisk, directory: string) =>
  `${directory}/`.startsWith(`${root}/`) ? files.filter(({ uri }) => uri.startsWith(`${directory}/`)) : [];

function toResource({ uri, size, mimeType }: PublishedFile, directory: string): Resource {
  const [name = '', ...deeper] = uri.slice(directory.length + 1).split('/');
  const child = { uri: `${directory}/${name}`, name: decodeURIComponent(name) };
  return deeper.length > 0 ? { ...child, mimeType: DIRECTORY_MIME_TYPE } : { ...child, mimeType, size };
}
