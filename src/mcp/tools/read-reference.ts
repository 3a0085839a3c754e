/** read_reference: a file of a skill, whole or in part. */

import { isAbsolute } from 'node:path';
import * as z from 'zod';
import type { Gateway, ReadResult } from '../../gateway/gateway.ts';
import type { ReadResult as ReadAnswer } from '../library-types.ts';
import { bare } from '../text.ts';
import { type Answer, declareTool } from '../tool.ts';
import {
  asGiven,
  asLines,
  asNumber,
  lineRange,
  linesSchema,
  toolArguments,
  wholeNumber,
} from './arguments.ts';
import { continuation, continuationSchema, continuationText } from './continuation.ts';

/** The fields after `mime_type` are those of a text. */
const resultSchema = z.object({
  kind: z.enum(['text', 'image']),
  path: z.string(),
  mime_type: z.string(),
  text: z.string().optional(),
  lines: z.array(z.number()).optional(),
  line_count: z.number().optional(),
  truncated: z.boolean().optional(),
  continue_with: continuationSchema.optional(),
});

type ReferenceResult = z.infer<typeof resultSchema>;

export const readReference = declareTool({
  name: 'read_reference',
  title: 'Read reference',
  description:
    'Reads a file of a skill, whole, by lines or by heading, such as one that the instructions name.',
  input: toolArguments(
    {
      skill: z.string().min(1, 'must name a skill').describe('Id, uri or name'),
      path: z.string().min(1, 'must name a file').describe('In the skill'),
      lines: linesSchema.optional().describe('"A-B"; "A-" for the rest'),
      heading: z.string().optional().describe('Instead of lines: a section'),
      max_tokens: wholeNumber(100, 50_000).optional().describe('Cut here; 4000 if not given'),
    },
    { lines: asLines, heading: asGiven, max_tokens: asNumber },
  ),
  result: resultSchema,
  async handle(args, gateway): Promise<Answer<ReferenceResult>> {
    const read = await readFrom(args, gateway);
    return read.kind === 'image' ? imageAnswer(read) : textAnswer(args.skill, read);
  },
});

export const readFrom = async (
  { skill, path, lines, heading, max_tokens }: ReturnType<typeof readReference.parse>,
  gateway: Gateway,
): Promise<ReadResult> =>
  gateway.read({
    skill,
    path: isAbsolute(path) ? await withoutFolder(skill, path, gateway) : path,
    ...(lines !== undefined && { lines: lineRange(lines) }),
    heading,
    maxTokens: max_tokens,
  });

/** The path of a file in its skill, where it lies below the folder that the caller was told. */
async function withoutFolder(skill: string, path: string, gateway: Gateway): Promise<string> {
  const { folder } = (await gateway.find({ skill })).entry;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function imageAnswer({
  path,
  mimeType,
  base64,
}: Extract<ReadResult, { kind: 'image' }>): Answer<ReferenceResult> {
  return {
    structured: { kind: 'image', path, mime_type: mimeType },
    content: [
      { type: 'text', text: `${bare(path)} (${mimeType})` },
      { type: 'image', data: base64, mimeType },
    ],
  };
}

type TextRead = Extract<ReadResult, { kind: 'text' }>;

export function textResult(
  skill: string,
  { path, mimeType, slice }: TextRead,
): Extract<ReadAnswer, { kind: 'text' }> {
  const next = continuation(skill, path, slice);
  return {
    kind: 'text',
    path,
    mime_type: mimeType,
    text: slice.text,
    lines: [...slice.lines],
    line_count: slice.lineCount,
    truncated: slice.truncated,
    continue_with: next,
  };
}

/** Two blocks: the file's text cannot pass for the gateway's. */
function textAnswer(skill: string, read: TextRead): Answer<ReferenceResult> {
  const { path, mimeType, slice } = read;
  const next = continuation(skill, path, slice);
  const [from, to] = slice.lines;
  const cut = slice.truncated ? ', cut' : '';
  const head = `${bare(path)} (${mimeType}), lines ${from}-${to} of ${slice.lineCount}${cut}.`;
  return {
    structured: { ...textResult(skill, read), lines: [from, to] },
    content: [
      { type: 'text', text: next === undefined ? head : `${head} ${continuationText(next)}` },
      { type: 'text', text: slice.text },
    ],
  };
}
