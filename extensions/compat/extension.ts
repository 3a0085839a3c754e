/** Older drafts of skills in the protocol, and the tool profiles of other skill servers. */

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Extension, Gateway, OlderHandlers, OpenOlderHandlers } from '../../src/app/extension-api.ts';
import type { LoadedSkill } from '../../src/gateway/gateway.ts';
import { answering, toProtocolError } from '../../src/mcp/errors.ts';
import { method } from '../../src/mcp/older-methods.ts';
import { filledIn, findMissing, readArguments } from '../../src/mcp/skill-arguments.ts';
import { skillsPage } from '../../src/mcp/skill-pages.ts';
import { skillAt } from '../../src/mcp/skills-extension.ts';
import { type DraftServices, draftA } from './drafts/draft-a.ts';
import { listEntry, readDependencies } from './drafts/entry.ts';
import { sendDraftCodes } from './drafts/errors.ts';
import { describedFiles, fileReader, loadAsWritten, publishedUris } from './drafts/files.ts';
import { skillEngine } from './skill-engine.ts';
import { SKILLS_MCP } from './skills-mcp.ts';

const listParams = z.object({ cursor: z.string().optional() });
const getParams = z.object({
  uri: z.string().optional(),
  name: z.string().optional(),
  arguments: z.record(z.string(), z.string()).optional(),
});

/** For all servers of a process. It shares the publisher's cache with the Skills extension. */
const draftHandlers =
  (shared: Omit<DraftServices, 'gateway'>): OpenOlderHandlers =>
  async (server, { gateway }) => {
    const services: DraftServices = { ...shared, gateway };
    sendDraftCodes(server);
    return {
      methods: { ...sharedMethods(services), ...draftA(server, services) },
      readResource: fileReader(gateway, services.log),
    };
  };

function sharedMethods(services: DraftServices): OlderHandlers['methods'] {
  const answer = answering(services.gateway, (error) => toProtocolError(error, services.log));
  return {
    'skills/list': method('skills/list', listParams, ({ cursor }, ctx) =>
      answer(ctx, async (open) => ({ ...(await list(open, cursor, services)) })),
    ),
    'skills/get': method('skills/get', getParams, ({ uri, name, arguments: given = {} }, ctx) =>
      answer(ctx, async (open) => {
        if (uri !== undefined) return { skill: await skillAt(open, uri, services.publisher) };
        if (name !== undefined) return withFiles(await loadAsWritten(open, name), given, open, services);
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'skills/get takes a uri or a name.');
      }),
    ),
  };
}

/** Lists the same skills as the extension, whose clients rely on complete entries. */
const list = (gateway: Gateway, cursor: string | undefined, { publisher, tools }: DraftServices) =>
  skillsPage(gateway, publisher, cursor, async (publications) => {
    const labels = await gateway.labels(publications.map(({ onDisk: { entry } }) => entry));
    return publications.map(({ published, onDisk: { entry } }, at) =>
      listEntry(published.skill, entry, labels[at]!, tools),
    );
  });

/** `_meta` of an answer: tools that the skill depends on and no server offers here. */
const UNCOVERED_KEY = 'io.github.skillgate/uncovered-tools';

/** The answer for clients of draft B: instructions with the arguments inserted, and the URIs of the files. */
async function withFiles(
  loaded: LoadedSkill,
  given: Readonly<Record<string, string>>,
  gateway: Gateway,
  { publisher, tools }: DraftServices,
) {
  const { entry, instructions, files, frontmatter } = loaded;
  const declared = readArguments(frontmatter);
  const missing = findMissing(declared, given).map(({ name }) => name);
  if (missing.length > 0)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `The skill ${entry.id} also needs these arguments: ${missing.join(', ')}.`,
      { missing },
    );
  const findUri = await publishedUris(loaded, gateway, publisher);
  const others = files.filter(({ kind }) => kind !== 'skill');
  const { _meta, ...more } = readDependencies(entry.mcpTools, frontmatter, tools);
  const described = describedFiles(frontmatter);
  const meta = { ..._meta, ...(loaded.uncovered !== undefined && { [UNCOVERED_KEY]: loaded.uncovered }) };
  return {
    description: entry.description,
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
    instructions: filledIn(instructions.text, declared, given),
    ...more,
    // Without a word of the author, only the instructions say which files a task needs.
    ...(others.length > 0 && {
      files: others.map(({ path, mimeType }) => ({
        name: path,
        uri: findUri(path),
        mimeType,
        required: false,
        ...described.get(path),
      })),
    }),
  };
}

export const extension: Extension = {
  // skills-mcp has no script tool: its agents have tools of their own.
  profile: (name, scripts) => (name === 'skills-mcp' ? SKILLS_MCP : skillEngine(scripts)),
  olderHandlers: draftHandlers,
};
