/**
 * Skills as plain resources: each `skill://…/SKILL.md` in `resources/list`, with the resources that lie in its folder.
 * Nobody promises what they hash to; they are held to the limits and to their place alone.
 */

import * as z from 'zod';
import { PeerError } from '../../../peers/errors.ts';
import { listed } from '../../../peers/pages.ts';
import { MAX_FILES } from '../folder.ts';
import { readResource } from './contents.ts';
import { pathBelow, segmentsOf } from './places.ts';
import { type Found, type Reading, SkillFiles, SkillRefused } from './reading.ts';

const SKILL_FILE = /^skill:\/\/.+\/SKILL\.md$/i;
/** Resources of one server that are looked at; what is not a skill's is passed over. */
const MAX_RESOURCES = 200_000;

const resourceSchema = z.looseObject({ uri: z.string().max(2_048) });

export async function* byResources(reading: Reading): AsyncGenerator<Found> {
  const skills = new Map<string, string[]>();
  const others: string[] = [];
  for await (const item of listed(reading.client, 'resources/list', 'resources', reading.options)) {
    const resource = resourceSchema.safeParse(item);
    if (!resource.success || !resource.data.uri.startsWith('skill://')) continue;
    const { uri } = resource.data;
    reading.countListed(uri);
    if (SKILL_FILE.test(uri)) skills.set(rootOf(uri), [uri]);
    else others.push(uri);
    if (skills.size + others.length > MAX_RESOURCES)
      throw new PeerError('PEER_FLOOD', `It lists more than ${MAX_RESOURCES} resources of skills.`);
  }
  for (const uri of others) ownerOf(uri, skills)?.push(uri);
  for (const [root, uris] of skills)
    yield { at: uris[0] ?? root, segments: segmentsOf(root), read: () => readSkill(root, uris, reading) };
}

async function readSkill(root: string, uris: readonly string[], reading: Reading) {
  if (uris.length > MAX_FILES) throw new SkillRefused(`it has more than ${MAX_FILES} files`);
  const files = new SkillFiles(reading);
  for (const uri of uris) files.add(pathBelow(root, uri), await readResource(reading, uri));
  return files.files;
}

const rootOf = (uri: string) => uri.slice(0, uri.lastIndexOf('/'));

/** The deepest skill in whose folder a resource lies. */
function ownerOf(uri: string, skills: ReadonlyMap<string, string[]>): string[] | undefined {
  for (let at = rootOf(uri); at.length > 'skill://'.length; at = rootOf(at)) {
    const found = skills.get(at);
    if (found !== undefined) return found;
    if (!at.includes('/')) return undefined;
  }
  return undefined;
}
