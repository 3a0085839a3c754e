/**
 * Draft A's methods beside the list: `skills/read`, `skills/read_reference` and `skills/execute`, as clients of that
 * draft speak them on connections of the older protocol revisions.
 */

import { basename, extname } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type Gateway, GatewayError, type LoadedFile, type LoadedSkill } from '../../gateway/gateway.ts';
import type { FileKind } from '../../skills/skill.ts';
import { EXECUTION_DISABLED } from '../errors.ts';
import type { Log } from '../log.ts';
import type { SkillPublisher } from '../published-skills.ts';
import type { OpenScripts } from '../script-run.ts';
import { loadWhole } from '../whole-text.ts';
import { draftError, sendDraftCodes } from './errors.ts';
import { execute } from './execute.ts';
import { contentsOf, urisOf } from './files.ts';

export interface DraftServices {
  readonly gateway: () => Promise<Gateway>;
  readonly publisher: SkillPublisher;
  /** Where scripts are run. */
  readonly scripts?: OpenScripts | undefined;
  readonly log: Log;
}

const nameSchema = z.string().min(1, 'must name a skill');

export function serveDraftA(mcp: McpServer, { gateway, publisher, scripts, log }: DraftServices): void {
  const { server } = mcp;
  sendDraftCodes(mcp);
  const told = async <Result>(name: string, answer: (open: Gateway) => Promise<Result>): Promise<Result> => {
    try {
      return await answer(await gateway());
    } catch (error) {
      throw draftError(error, name, log);
    }
  };

  server.setRequestHandler('skills/read', { params: z.object({ name: nameSchema }) }, ({ name }) =>
    told(name, async (open) => ({ skill: skillOf(name, await loadWhole(open, name)) })),
  );

  server.setRequestHandler(
    'skills/read_reference',
    { params: z.object({ name: nameSchema, reference: z.string().min(1, 'must name a file') }) },
    ({ name, reference }) =>
      told(name, async (open) => {
        const loaded = await open.load({ skill: name });
        const path = pathOf(reference, loaded.files);
        const uri = (await urisOf(loaded, open, publisher))(path);
        return { content: await contentsOf(open, loaded.entry.id, path, uri) };
      }),
  );

  server.setRequestHandler(
    'skills/execute',
    {
      params: z.object({
        name: nameSchema,
        script: z.string().min(1, 'must name a script'),
        arguments: z.unknown().optional(),
      }),
    },
    ({ name, script, arguments: given }, ctx) =>
      told(name, async (open) => {
        if (scripts !== undefined)
          return execute({ name, script, given, gateway: open, scripts: await scripts(), server: mcp, ctx });
        await open.load({ skill: name });
        return { content: [{ type: 'text', text: EXECUTION_DISABLED }], isError: true };
      }),
  );
}

function skillOf(name: string, { entry, instructions, files, frontmatter }: LoadedSkill) {
  const listed = (kind: FileKind) => {
    const found = files.filter((file) => file.kind === kind);
    return found.length === 0 ? undefined : found.map(({ path }) => ({ name: basename(path), path }));
  };
  const { metadata } = frontmatter;
  const scripts = listed('script');
  const references = listed('reference');
  const assets = listed('asset');
  return {
    name,
    description: entry.description,
    instructions: instructions.text,
    ...(scripts !== undefined && { scripts }),
    ...(references !== undefined && { references }),
    ...(assets !== undefined && { assets }),
    ...(metadata instanceof Object && { metadata }),
  };
}

/**
 * The file that a reference means: its path, or its name with or without extension, references before other files.
 * Throws `PATH_UNKNOWN` where it means none, or several; `data.nearest` then says which there are.
 */
export function pathOf(reference: string, files: readonly LoadedFile[]): string {
  const beside = files.filter(({ kind }) => kind !== 'skill');
  if (files.some(({ path }) => path === reference)) return reference;
  const references = beside.filter(({ kind }) => kind === 'reference');
  const ways: ((path: string) => string)[] = [basename, (path) => basename(path, extname(path))];
  for (const pool of [references, beside])
    for (const nameOf of ways) {
      const [first, ...others] = pool.filter(({ path }) => nameOf(path) === reference);
      if (first !== undefined && others.length === 0) return first.path;
      if (first !== undefined)
        throw new GatewayError('PATH_UNKNOWN', 'Several files have that name: give the path of one.', {
          nearest: [first, ...others].map(({ path }) => path),
        });
    }
  throw new GatewayError('PATH_UNKNOWN', 'The skill has no such reference.', {
    nearest: (references.length > 0 ? references : beside).slice(0, 20).map(({ path }) => path),
  });
}
