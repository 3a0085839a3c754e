/**
 * The older drafts of skills in the protocol, on connections of the revisions before 2026-07-28: there the `skills/`
 * prefix was not reserved yet, and clients of each draft are about. `skills/list` and `skills/get` are the Skills
 * extension's too, so both answer for all three at once: an entry carries every shape, and `skills/get` tells the
 * dialects apart by `uri` or `name`. Attach it after the Skills extension, whose two methods it takes over.
 */

import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Gateway, LoadedSkill } from '../../gateway/gateway.ts';
import { whenChanged } from '../changes.ts';
import { protocolErrorOf } from '../errors.ts';
import { PAGE } from '../published-skills.ts';
import type { Extension } from '../server.ts';
import { loadWhole } from '../whole-text.ts';
import { argumentsOf, filledIn, missingOf } from './arguments.ts';
import { type DraftServices, serveDraftA } from './draft-a.ts';
import { dependenciesOf, listEntry } from './entry.ts';
import { serveFiles, urisOf } from './files.ts';

const listParams = z.object({ cursor: z.string().optional() });
const getParams = z.object({
  uri: z.string().optional(),
  name: z.string().optional(),
  arguments: z.record(z.string(), z.string()).optional(),
});

/** One for all servers of a process. The publisher is the Skills extension's: what it has hashed is kept once. */
export function draftsExtension(shared: Omit<DraftServices, 'gateway'>): Extension {
  return {
    attach(server, { era, gateway }) {
      if (era !== 'legacy') return;
      const services: DraftServices = { ...shared, gateway };
      server.server.registerCapabilities(CAPABILITY);
      serveShared(server, services);
      serveDraftA(server, services);
      serveFiles(server, services.gateway, services.log);
      announceChanges(server, services);
    },
  };
}

/** The drafts' own, which the SDK's type does not know. */
const CAPABILITY: Record<string, object> = { skills: { listChanged: true, scripts: false } };

function serveShared({ server }: McpServer, services: DraftServices): void {
  const told = async <Result>(answer: (open: Gateway) => Promise<Result>): Promise<Result> => {
    try {
      return await answer(await services.gateway());
    } catch (error) {
      throw protocolErrorOf(error, services.log);
    }
  };

  server.setRequestHandler('skills/list', { params: listParams }, ({ cursor }) =>
    told((open) => list(open, cursor, services)),
  );

  server.setRequestHandler('skills/get', { params: getParams }, ({ uri, name, arguments: given = {} }) =>
    told(async (open) => {
      if (uri !== undefined) return { skill: await publishedAt(open, uri, services) };
      if (name !== undefined) return withFiles(await loadWhole(open, name), given, open, services);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'skills/get takes a uri or a name.');
    }),
  );
}

/** The skills that the extension lists: its clients are promised that every entry is complete. */
async function list(gateway: Gateway, cursor: string | undefined, { publisher }: DraftServices) {
  const page = await gateway.publishable({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
  const labels = await gateway.labels(page.skills.map(({ entry }) => entry));
  const published = await publisher.publishAll(page.skills);
  const skills = page.skills.flatMap(({ entry }, at) => {
    const [made, label] = [published[at], labels[at]];
    return made === undefined || label === undefined ? [] : [listEntry(made.skill, entry, label)];
  });
  return {
    skills,
    ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
  };
}

/** The extension's answer. */
async function publishedAt(gateway: Gateway, uri: string, { publisher }: DraftServices) {
  const found = await gateway.publishableAt(uri);
  const published = found && (await publisher.publish(found));
  if (published?.skill.uri === uri) return published.skill;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No skill is served at ${uri}`);
}

/** Draft B's answer: instructions with the arguments put in, and how the files are read. */
async function withFiles(
  loaded: LoadedSkill,
  given: Readonly<Record<string, string>>,
  gateway: Gateway,
  { publisher }: DraftServices,
) {
  const { entry, instructions, files, frontmatter } = loaded;
  const declared = argumentsOf(frontmatter);
  const missing = missingOf(declared, given).map(({ name }) => name);
  if (missing.length > 0)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `The skill ${entry.id} also needs these arguments: ${missing.join(', ')}.`,
      { missing },
    );
  const uriOf = await urisOf(loaded, gateway, publisher);
  const beside = files.filter(({ kind }) => kind !== 'skill');
  const dependencies = dependenciesOf(entry.mcpTools);
  return {
    description: entry.description,
    instructions: filledIn(instructions.text, declared, given),
    ...(dependencies !== undefined && { dependencies }),
    // Which of them a task needs, only the instructions say.
    ...(beside.length > 0 && {
      files: beside.map(({ path, mimeType }) => ({
        name: path,
        uri: uriOf(path),
        mimeType,
        required: false,
      })),
    }),
  };
}

/** Tells the server's client of each new generation, for as long as it is connected. */
function announceChanges(server: McpServer, { gateway, log }: DraftServices): void {
  const stop = whenChanged(gateway, () => {
    if (server.isConnected())
      server.server
        .notification({ method: 'notifications/skills/list_changed' })
        .catch((error) => log(`skills/list_changed: ${String(error)}`));
  });
  const { onclose } = server.server;
  server.server.onclose = () => {
    stop();
    onclose?.();
  };
}
