/** Refuses requests whose paths or URIs have absurdly many segments, before anything walks along them. */

import * as z from 'zod';

/** Most segments: sources are searched to a depth of 12, and files of skills lie a few folders deeper. */
const MAX_SEGMENTS = 256;

const text = z.string().optional().catch(undefined);
/** The members that name a skill, a file or a script, of methods and of tools. Anything else may be any text. */
const names = z.object({
  id: text,
  name: text,
  path: text,
  reference: text,
  script: text,
  skill: text,
  uri: text,
  value: text,
});
const members = names.optional().catch(undefined);
const request = z.object({ params: names.extend({ arguments: members, argument: members, ref: members }) });

/** What is wrong with a request or one of a batch; undefined if nothing is. */
export function longPathIn(message: unknown): string | undefined {
  if (Array.isArray(message)) return message.map(longPathIn).find((found) => found !== undefined);
  const { params } = request.safeParse(message).data ?? {};
  if (params === undefined) return undefined;
  const parts = [params, params.arguments, params.argument, params.ref];
  for (const [member, value] of parts.flatMap((part) => Object.entries(part ?? {}))) {
    const segments = typeof value === 'string' ? countSegments(value) : 0;
    if (segments > MAX_SEGMENTS)
      return `\`${member}\` has ${segments} segments, and no path or URI here has more than ${MAX_SEGMENTS}. Use one that an answer gave.`;
  }
  return undefined;
}

function countSegments(path: string): number {
  let segments = 1;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) segments += 1;
  return segments;
}
