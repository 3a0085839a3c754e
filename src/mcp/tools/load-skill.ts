/** load_skill: a skill's instructions, and the list of its other files. */

import * as z from 'zod';
import { bare, clip, count, GAP, oneLine } from '../../base/text.ts';
import type { Gateway, LoadedFile, LoadedSkill } from '../../gateway/gateway.ts';
import type { Evidence } from '../../search/answer.ts';
import type { FileKind } from '../../skills/skill.ts';
import { withArguments } from '../skill-arguments.ts';
import { type Answer, declareTool } from '../tool.ts';
import { asWritten, toolArguments, wholeNumber } from './arguments.ts';
import { type Continuation, continuation, continuationSchema, continuationText } from './read-reference.ts';
import { type ToolsResult, toolsResult, toolsText } from './upstream-tools.ts';

/** Most files of a kind, and most headings, in an answer; a skill may have thousands. */
const LISTED = 100;

const paths = z.array(z.string()).optional();

const resultSchema = z.object({
  id: z.string(),
  uri: z.string(),
  digest: z.string(),
  folder: z.string(),
  start_reading_at: paths.describe('file:lines that match the query'),
  allowed_tools: paths,
  remote_allowed_tools: paths.describe('What a fetched skill asks for: the user has allowed none of it'),
  tools: paths,
  uncovered: paths.describe('Named tools that no server here offers'),
  instructions: z.string(),
  file: z.string(),
  lines: z.array(z.number()),
  line_count: z.number(),
  truncated: z.boolean(),
  continue_with: continuationSchema.optional(),
  outline: z.array(z.looseObject({})).optional(),
  references: paths,
  scripts: paths,
  assets: paths,
  unlisted: z.number().optional(),
  upstream_tools: z.looseObject({}).optional(),
});

export interface LoadOptions {
  /** A heading of the outline: only that part. */
  readonly section?: string;
  /** Cut the instructions here, 100–50,000. Default 8,000. */
  readonly max_tokens?: number;
  /** As searched: adds `start_reading_at`. */
  readonly query?: string;
  /** Replaces `$ARGUMENTS`, `$1`, `$2` … in the instructions. */
  readonly arguments?: string;
}

export interface LoadResult {
  id: string;
  uri: string;
  /** SHA-256 over all files of the skill. */
  digest: string;
  /** Where its files are. */
  folder: string;
  /** `file:lines` that match the query. */
  start_reading_at?: string[];
  allowed_tools?: string[];
  /** The same of a skill that was fetched from elsewhere: the user has allowed none of it. */
  remote_allowed_tools?: string[];
  tools?: string[];
  /** Named tools that no server here offers. */
  uncovered?: string[];
  instructions: string;
  /** The file that holds the instructions. */
  file: string;
  /** Lines of that file, from 1. */
  lines: number[];
  line_count: number;
  truncated: boolean;
  continue_with?: Continuation;
  /** Where the instructions are cut, or one section was asked for. */
  outline?: { heading: string; level: number; line: number }[];
  references?: string[];
  scripts?: string[];
  assets?: string[];
  /** Number of files and headings that are not named above. */
  unlisted?: number;
  upstream_tools?: ToolsResult;
}

export const loadSkill = declareTool({
  name: 'load_skill',
  title: 'Load skill',
  description:
    'Loads a skill: its instructions, to be followed, and its files. Give the id of a hit. For a long one ask for a section, or go on as continue_with says.',
  input: toolArguments(
    {
      skill: z.string().min(1, 'must name a skill').describe('Id, uri or name'),
      query: z.string().optional().describe('As searched: adds where to start'),
      section: z.string().optional().describe('Only under this heading'),
      max_tokens: wholeNumber(100, 50_000).optional().describe('Cut here; 8000 if not given'),
      arguments: z.string().optional().describe('For $ARGUMENTS, $1, $2'),
    },
    { arguments: asWritten },
  ),
  result: resultSchema,
  // An agent that found a skill must not have to search for the tool that loads it.
  meta: { 'anthropic/alwaysLoad': true },
  async handle(args, gateway): Promise<Answer<LoadResult>> {
    const result = await loadFrom(args, gateway);
    // Separate blocks: the author's text cannot pass for the gateway's. Some clients join blocks without a line break.
    return {
      structured: result,
      content: [
        { type: 'text', text: `${formatHead(result)}${GAP}` },
        { type: 'text', text: result.instructions },
        ...(result.upstream_tools === undefined
          ? []
          : [{ type: 'text' as const, text: `${GAP}${toolsText(result.upstream_tools)}` }]),
      ],
    };
  },
});

export async function loadFrom(
  { skill, query, section, max_tokens, arguments: given }: ReturnType<typeof loadSkill.parse>,
  gateway: Gateway,
): Promise<LoadResult> {
  const found = await gateway.load({ skill, query, section, maxTokens: max_tokens });
  return loadResult(withArguments(found, given), section !== undefined);
}

/** `isSection`: whether only a part was asked for. */
export function loadResult(loaded: LoadedSkill, isSection: boolean): LoadResult {
  const { entry, shortId, instructions, files, tools, uncovered = [], startAt = [] } = loaded;
  const references = filePaths(files, 'reference');
  const scripts = filePaths(files, 'script');
  const assets = filePaths(files, 'asset');
  // Complete instructions show their headings themselves.
  const outline = isSection || instructions.truncated ? loaded.outline : [];
  const unlisted = [references, scripts, assets, outline]
    .map((list) => Math.max(0, list.length - LISTED))
    .reduce((sum, more) => sum + more, 0);
  const next = continuation(shortId, entry.file, instructions);
  return {
    id: shortId,
    uri: entry.uri,
    digest: entry.digest,
    folder: entry.folder,
    ...listed('start_reading_at', startAt.map(formatLocation)),
    ...listed(entry.remote ? 'remote_allowed_tools' : 'allowed_tools', entry.allowedTools),
    ...listed('tools', entry.mcpTools),
    ...listed('uncovered', uncovered),
    instructions: instructions.text,
    file: entry.file,
    lines: [...instructions.lines],
    line_count: instructions.lineCount,
    truncated: instructions.truncated,
    continue_with: next,
    ...(outline.length > 0 && {
      outline: outline.slice(0, LISTED).map((each) => ({ ...each, heading: clip(each.heading, 120) })),
    }),
    ...listed('references', references.slice(0, LISTED)),
    ...listed('scripts', scripts.slice(0, LISTED)),
    ...listed('assets', assets.slice(0, LISTED)),
    ...(unlisted > 0 && { unlisted }),
    ...(tools !== undefined && { upstream_tools: toolsResult(tools) }),
  };
}

/** The list under its name; nothing if it is empty. */
const listed = <Name extends string>(
  name: Name,
  items: readonly string[],
): Partial<Record<Name, string[]>> =>
  items.length === 0 ? {} : ({ [name]: [...items] } as Partial<Record<Name, string[]>>);

const filePaths = (files: readonly LoadedFile[], wanted: FileKind) =>
  files.filter(({ kind }) => kind === wanted).map(({ path }) => path);

function formatLocation({ path, lines: [from, to], heading }: Evidence): string {
  const last = heading.at(-1);
  return `${bare(path)}:${from}-${to}${last === undefined ? '' : ` ${clip(last, 60)}`}`;
}

/** Everything except the instructions. */
function formatHead(result: LoadResult): string {
  const [from, to] = result.lines;
  const lines = [
    `Skill ${bare(result.id)}; uri: ${result.uri}; digest: ${result.digest}`,
    `folder: ${bare(result.folder)}`,
    ...listLine('start reading at', result.start_reading_at),
    ...listLine('allowed_tools', result.allowed_tools?.map(oneLine)),
    ...listLine(
      'remote_allowed_tools (asked for by a fetched skill, not allowed by the user)',
      result.remote_allowed_tools?.map(oneLine),
    ),
    ...listLine('tools', result.tools?.map(oneLine)),
    ...listLine('uncovered: no server here offers', result.uncovered?.map(oneLine)),
    ...listLine('references (open with read_reference)', result.references?.map(bare)),
    ...listLine('scripts', result.scripts?.map(bare)),
    ...listLine('assets', result.assets?.map(bare)),
    ...listLine(
      'outline',
      result.outline?.map(({ heading, level, line }) => `${line} ${'#'.repeat(level)} ${heading}`),
    ),
    ...(result.unlisted === undefined
      ? []
      : [`${count(result.unlisted)} files or headings are not listed here.`]),
    `Instructions: lines ${from}-${to} of ${result.line_count} of ${bare(result.file)}${result.truncated ? ', cut' : ''}.`,
    ...(result.continue_with === undefined ? [] : [continuationText(result.continue_with)]),
  ];
  return lines.join('\n');
}

const listLine = (label: string, items: readonly string[] = []) =>
  items.length === 0 ? [] : [`${label}: ${items.join('; ')}`];
