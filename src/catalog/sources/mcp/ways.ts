/** Which of the ways a server is asked by: the newest that it speaks, unless the configuration says. */

import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import * as z from 'zod';
import { isMissingMethod, PeerError } from '../../../peers/errors.ts';
import { byDraftA } from './draft-a.ts';
import { byDraftB } from './draft-b.ts';
import { byExtension } from './extension.ts';
import type { Found, Reading, Way } from './reading.ts';
import { byResources } from './resources.ts';

export const WAYS: Readonly<Record<'extension' | 'resources' | 'draft-a' | 'draft-b', Way>> = {
  extension: byExtension,
  resources: byResources,
  'draft-a': byDraftA,
  'draft-b': byDraftB,
};
export type Via = 'auto' | keyof typeof WAYS;

/** The skills by the way asked for. Throws `PeerError` where the server does not speak it, or none. */
export async function* skillsVia(via: Via, reading: Reading): AsyncGenerator<Found> {
  if (via !== 'auto') {
    yield* WAYS[via](reading);
    return;
  }
  const { client } = reading;
  if (new SkillsClient(client).supported) {
    yield* byExtension(reading);
    return;
  }
  let any = false;
  try {
    if (client.getServerCapabilities()?.resources !== undefined)
      for await (const found of byResources(reading)) {
        any = true;
        yield found;
      }
  } catch (error) {
    // Draft B reads resources and need not list them.
    if (!isMissingMethod(error)) throw error;
  }
  if (any) return;
  const draft = await draftOf(reading);
  if (draft !== null) yield* draft(reading);
  else if (client.getServerCapabilities()?.tools === undefined)
    throw new PeerError('PEER_ANSWER', 'It offers skills in no way that is known here, and no tools either.');
}

/** Both drafts list by one method: what reads a listed skill tells them apart. Null where there is no list. */
async function draftOf({ client, options }: Reading): Promise<Way | null> {
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
    // Any other complaint is about this one skill, by a server that knows the method.
    return isMissingMethod(error) ? byDraftB : byDraftA;
  }
}
