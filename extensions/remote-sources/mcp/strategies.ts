/** How skills are read from a server: by the newest method that it supports. */

import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import * as z from 'zod';
import { UpstreamError } from '../../../src/sources/upstream.ts';
import { isMissingMethod } from '../upstream/error-mapping.ts';
import { byDraftA, byDraftB } from './drafts.ts';
import { byExtension } from './extension.ts';
import type { FetchContext, ListedSkill, ReadStrategy } from './fetch-context.ts';
import { byResources } from './resources.ts';

/** The server's skills. Throws `UpstreamError` if it has no supported method, and no tools either. */
export async function* listSkills(context: FetchContext): AsyncGenerator<ListedSkill> {
  const { client } = context;
  if (new SkillsClient(client).supported) {
    yield* byExtension(context);
    return;
  }
  let hasSkills = false;
  try {
    if (client.getServerCapabilities()?.resources !== undefined)
      for await (const skill of byResources(context)) {
        hasSkills = true;
        yield skill;
      }
  } catch (error) {
    // A server of draft B may support `resources/read` without `resources/list`.
    if (!isMissingMethod(error)) throw error;
  }
  if (hasSkills) return;
  const draft = await detectDraft(context);
  if (draft !== null) yield* draft(context);
  else if (client.getServerCapabilities()?.tools === undefined)
    throw new UpstreamError('UPSTREAM_ANSWER', 'It offers neither skills by a supported method nor tools.');
}

/** Both drafts have `skills/list`; the method that reads a skill tells them apart. Null if there is no list. */
async function detectDraft({ client, options }: FetchContext): Promise<ReadStrategy | null> {
  const listSchema = z.looseObject({ skills: z.array(z.looseObject({ name: z.string() })) });
  let first: string | undefined;
  try {
    const { skills } = await client.request({ method: 'skills/list', params: {} }, listSchema, options);
    first = skills[0]?.name;
  } catch (error) {
    if (isMissingMethod(error)) return null;
    throw error;
  }
  if (first === undefined) return byDraftA;
  try {
    await client.request({ method: 'skills/read', params: { name: first } }, z.looseObject({}), options);
    return byDraftA;
  } catch (error) {
    // Any other error concerns this skill: the server knows the method.
    return isMissingMethod(error) ? byDraftB : byDraftA;
  }
}
