/** read_reference: a file of a skill, whole or in part. */

import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { bare, GAP, quote } from '../../base/text.ts';
import type { Gateway, ReadResult as Read, TextSlice } from '../../gateway/gateway.ts';
import { type Answer, declareTool } from '../tool.ts';
import { asLines, lineRange, linesSchema, toolArguments, wholeNumber } from './arguments.ts';

export interface ReadOptions {
  /** `A-B`, both included; `A-` for the rest. */
  readonly lines?: string;
  /** Instead of lines: the section under this heading. */
  readonly heading?: string;
  /** Cut the text here, 100–50,000. Default 4,000. */
  readonly max_tokens?: number;
}

/** The call that goes on where a text was cut. */
export type Continuation = {
  tool: 'read_reference';
  arguments: { skill: string; path: string; lines: string };
};

export type ReadResult =
  | {
      kind: 'text';
      path: string;
      mime_type: string;
      text: string;
      /** Lines of the file that the text holds, from 1. */
      lines: number[];
      line_count: number;
      truncated: boolean;
      continue_with?: Continuation;
    }
  | {
      kind: 'image';
      path: string;
      mime_type: string;
      /** Base64. */
      data: string;
    };

export const continuationSchema = z.looseObject({}).describe('The call that reads the rest');

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
    { lines: asLines },
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
): Promise<Read> =>
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

function imageAnswer({ path, mimeType, base64 }: Extract<Read, { kind: 'image' }>): Answer<ReferenceResult> {
  return {
    structured: { kind: 'image', path, mime_type: mimeType },
    content: [
      { type: 'text', text: `${bare(path)} (${mimeType})` },
      { type: 'image', data: base64, mimeType },
    ],
  };
}

type TextRead = Extract<Read, { kind: 'text' }>;

/** The file for programs and the command line. */
export function readResult(skill: string, read: Read): ReadResult {
  if (read.kind === 'text') return textResult(skill, read);
  return { kind: 'image', path: read.path, mime_type: read.mimeType, data: read.base64 };
}

function textResult(
  skill: string,
  { path, mimeType, slice }: TextRead,
): Extract<ReadResult, { kind: 'text' }> {
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
      { type: 'text', text: `${next === undefined ? head : `${head} ${continuationText(next)}`}${GAP}` },
      { type: 'text', text: slice.text },
    ],
  };
}

/** Undefined if nothing was cut, or if a single line is too long, so that only a larger budget helps. */
export function continuation(skill: string, path: string, slice: TextSlice): Continuation | undefined {
  if (slice.continueAt === undefined) return undefined;
  return {
    tool: 'read_reference',
    arguments: { skill, path, lines: `${slice.continueAt}-${slice.lineCount}` },
  };
}

export const continuationText = ({ arguments: { skill, path, lines } }: Continuation) =>
  `Go on with read_reference(skill=${quote(skill)}, path=${quote(path)}, lines="${lines}").`;
