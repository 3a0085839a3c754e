/** load_skill: a skill's instructions, and the list of its other files. */

import * as z from 'zod';
import type { LoadedFile, LoadedSkill } from '../../gateway/public.ts';
import type { FileKind } from '../../skills/public.ts';
import { bare, clip, count, counted, oneLine } from '../text.ts';
import { declareTool } from '../tool.ts';
import { asGiven, asNumber, toolArguments, wholeNumber } from './arguments.ts';
import { continuation, continuationSchema, continuationText } from './continuation.ts';
import { copiesLine, copiesResult, copiesSchema } from './copies.ts';
import { toolsResult, toolsText, upstreamToolsSchema } from './upstream-tools.ts';

/** Most files of a kind, and most headings, in an answer; a skill may have thousands. */
const LISTED = 100;
/** Most copies in an answer. */
const LISTED_COPIES = 10;
const DESCRIPTION_CHARACTERS = 1_024;

const fileSchema = z.object({ path: z.string(), size: z.int().describe('Bytes') });

const resultSchema = z.object({
  id: z.string(),
  uri: z.string(),
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  digest: z.string().describe('SHA-256 over all files of the skill'),
  also_from: copiesSchema.optional(),
  also_from_count: z.int().optional().describe('Given if not all are named'),
  folder: z.string().describe('Where its files are'),
  allowed_tools: z.array(z.string()).describe('Tools that its author says it needs'),
  tools: z.array(z.string()).describe('MCP tools that its author names'),
  instructions: z.string(),
  file: z.string().describe('The file that holds the instructions'),
  lines: z.array(z.int()).length(2).describe('Lines of that file, from 1'),
  line_count: z.int(),
  truncated: z.boolean(),
  continue_with: continuationSchema.optional(),
  outline: z.array(z.object({ heading: z.string(), level: z.int(), line: z.int() })),
  references: z.array(fileSchema),
  scripts: z.array(fileSchema),
  assets: z.array(fileSchema),
  unlisted: z.int().optional().describe('Files and headings left out of these lists'),
  upstream_tools: upstreamToolsSchema
    .optional()
    .describe('Those of its tools that other MCP servers offer here'),
});

type LoadResult = z.infer<typeof resultSchema>;

export const loadSkill = declareTool({
  name: 'load_skill',
  title: 'Load skill',
  description:
    'Loads a skill: its instructions, to be followed, with outline and files. Give the id of a hit. For a long one ask for a section, or go on as continue_with says.',
  input: toolArguments(
    {
      skill: z.string().min(1, 'must name a skill').describe('Id, uri or name'),
      section: z.string().optional().describe('A heading of the outline: only that part'),
      max_tokens: wholeNumber(100, 50_000)
        .optional()
        .describe('Cut the instructions here; 8000 if not given'),
    },
    { section: asGiven, max_tokens: asNumber },
  ),
  result: resultSchema,
  async handle({ skill, section, max_tokens }, gateway) {
    const loaded = await gateway.load({
      skill,
      ...(section !== undefined && { section }),
      ...(max_tokens !== undefined && { maxTokens: max_tokens }),
    });
    const result = resultOf(loaded);
    // Separate blocks: the author's text cannot pass for the gateway's.
    return {
      structured: result,
      content: [
        { type: 'text', text: headOf(result, section !== undefined) },
        { type: 'text', text: result.instructions },
        ...(result.upstream_tools === undefined
          ? []
          : [{ type: 'text' as const, text: toolsText(result.upstream_tools) }]),
      ],
    };
  },
});

function resultOf({ entry, instructions, outline, files, copies, tools }: LoadedSkill): LoadResult {
  const references = filesOf(files, 'reference');
  const scripts = filesOf(files, 'script');
  const assets = filesOf(files, 'asset');
  const unlisted = [references, scripts, assets, outline]
    .map((list) => Math.max(0, list.length - LISTED))
    .reduce((sum, more) => sum + more, 0);
  const next = continuation(entry.id, entry.file, instructions);
  return {
    id: entry.id,
    uri: entry.uri,
    name: entry.name,
    ...(entry.title !== undefined && { title: entry.title }),
    description: entry.description,
    digest: entry.digest,
    ...copiesResult(copies, LISTED_COPIES),
    folder: entry.folder,
    allowed_tools: [...entry.allowedTools],
    tools: [...entry.mcpTools],
    instructions: instructions.text,
    file: entry.file,
    lines: [...instructions.lines],
    line_count: instructions.lineCount,
    truncated: instructions.truncated,
    ...(next !== undefined && { continue_with: next }),
    outline: outline.slice(0, LISTED).map((each) => ({ ...each, heading: clip(each.heading, 120) })),
    references: references.slice(0, LISTED),
    scripts: scripts.slice(0, LISTED),
    assets: assets.slice(0, LISTED),
    ...(unlisted > 0 && { unlisted }),
    ...(tools !== undefined && { upstream_tools: toolsResult(tools) }),
  };
}

const filesOf = (files: readonly LoadedFile[], wanted: FileKind) =>
  files.filter(({ kind }) => kind === wanted).map(({ path, size }) => ({ path, size }));

/** Everything except the instructions. The outline is left out if the instructions are complete and show it. */
function headOf(result: LoadResult, isSection: boolean): string {
  const [from, to] = result.lines;
  const title = result.title === undefined ? '' : ` (${oneLine(result.title)})`;
  const lines = [
    `Skill ${bare(result.id)}: ${oneLine(result.name)}${title}. ${clip(result.description, DESCRIPTION_CHARACTERS)}`,
    `uri: ${result.uri}; digest: ${result.digest}`,
    ...copiesLine(result).map((line) => line.trim()),
    `folder: ${bare(result.folder)}`,
    ...listLine('allowed_tools', result.allowed_tools.map(oneLine)),
    ...listLine('tools', result.tools.map(oneLine)),
    ...listLine('references (open with read_reference)', result.references.map(fileText)),
    ...listLine('scripts', result.scripts.map(fileText)),
    ...listLine('assets', result.assets.map(fileText)),
    ...(isSection || result.truncated
      ? listLine(
          'outline',
          result.outline.map(({ heading, level, line }) => `${line} ${'#'.repeat(level)} ${heading}`),
        )
      : []),
    ...(result.unlisted === undefined
      ? []
      : [`${count(result.unlisted)} files or headings are not listed here.`]),
    `Instructions: lines ${from}-${to} of ${result.line_count} of ${bare(result.file)}${result.truncated ? ', cut' : ''}.`,
    ...(result.continue_with === undefined ? [] : [continuationText(result.continue_with)]),
  ];
  return lines.join('\n');
}

const listLine = (label: string, items: readonly string[]) =>
  items.length === 0 ? [] : [`${label}: ${items.join('; ')}`];

const fileText = ({ path, size }: { path: string; size: number }) =>
  `${bare(path)} (${counted(size, 'byte')})`;
