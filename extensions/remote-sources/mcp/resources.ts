/**
 * Skills as plain resources: each `skill://…/SKILL.md` in `resources/list`, with the resources in its folder. There
 * are no digests to verify; only limits and paths are checked.
 */

import * as z from 'zod';
import { MAX_PUBLISHED_FILES } from '../../../src/sources/source.ts';
import { UpstreamError } from '../../../src/sources/upstream.ts';
import { listItems } from '../upstream/pagination.ts';
import {
  type FetchContext,
  type ListedSkill,
  readResource,
  SkillFiles,
  SkillRefusedError,
} from './fetch-context.ts';
import { pathBelow, rootSegments } from './folder-names.ts';

const SKILL_FILE = /^skill:\/\/.+\/SKILL\.md$/i;
/** Most `skill://` resources of one server. */
const MAX_RESOURCES = 200_000;

const resourceSchema = z.looseObject({ uri: z.string().max(2_048) });

export async function* byResources(context: FetchContext): AsyncGenerator<ListedSkill> {
  const skills = new Map<string, string[]>();
  const others: string[] = [];
  for await (const item of listItems(context.client, 'resources/list', 'resources', context.options)) {
    const resource = resourceSchema.safeParse(item);
    if (!resource.success || !resource.data.uri.startsWith('skill://')) continue;
    const { uri } = resource.data;
    context.countListed(uri);
    if (SKILL_FILE.test(uri)) skills.set(skillRoot(uri), [uri]);
    else others.push(uri);
    if (skills.size + others.length > MAX_RESOURCES)
      throw new UpstreamError('UPSTREAM_FLOOD', `It lists more than ${MAX_RESOURCES} skill resources.`);
  }
  for (const uri of others) findOwner(uri, skills)?.push(uri);
  for (const [root, uris] of skills)
    yield { at: uris[0] ?? root, segments: rootSegments(root), read: () => readSkill(root, uris, context) };
}

async function readSkill(root: string, uris: readonly string[], context: FetchContext) {
  if (uris.length > MAX_PUBLISHED_FILES)
    throw new SkillRefusedError(`it has more than ${MAX_PUBLISHED_FILES} files`);
  const files = new SkillFiles(context);
  for (const uri of uris) files.add(pathBelow(root, uri), await readResource(context, uri));
  return { files: files.files };
}

const skillRoot = (uri: string) => uri.slice(0, uri.lastIndexOf('/'));

/** The innermost skill whose folder contains the resource. */
function findOwner(uri: string, skills: ReadonlyMap<string, string[]>): string[] | undefined {
  for (let at = skillRoot(uri); at.length > 'skill://'.length; at = skillRoot(at)) {
    const found = skills.get(at);
    if (found !== undefined) return found;
    if (!at.includes('/')) return undefined;
  }
  return undefined;
}
