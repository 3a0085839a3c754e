/**
 * `skillgate hint`: a line for the prompt hook of a host that names the skills that may fit a prompt, or nothing.
 *
 * It runs before every prompt, so it never fails one: every outcome is exit code 0, and reasons go to stderr with --verbose
 * only. It answers from the index as it is, without looking at the folders, and writes nothing.
 */

import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { type CommonOptions, openIndexed, processEnvironment, settingsOf } from '../../app/public.ts';
import { messageOf } from '../../errors/public.ts';
import { type SearchAnswer, search } from '../../search/public.ts';
import { print, sayIfVerbose } from '../output.ts';

/** Fit from which it speaks (`npm run bench -- hint`). */
export const SPEAK_FROM = 0.65;
/** Most skills of a line. */
const NAMED = 3;
/** Characters of a prompt that are searched: the request, without most of a pasted log. */
const PROMPT_CHARACTERS = 4_000;
/** Bytes of standard input that are read. */
const INPUT_BYTES = 4 * 2 ** 20;
/** Longest wait for standard input, ms. */
const INPUT_MS = 1_000;
/** Ids in a line of a prompt: what no folder of a skill can turn into a sentence. */
const PLAIN_ID = /^[\p{L}\p{N}][\p{L}\p{N}._:/@+-]{0,199}$/u;

export interface HintOptions extends CommonOptions {
  /** 0–1. */
  readonly minFit?: number;
}

/** What Claude Code, Codex and Gemini CLI give to a hook. All members that it does not name are ignored. */
const inputSchema = z.object({
  prompt: z.string(),
  cwd: z.string().optional(),
  hook_event_name: z.string().max(100).optional(),
});
type HookInput = z.infer<typeof inputSchema>;

/** Never rejects. */
export async function hint(options: HintOptions): Promise<void> {
  const explain = (message: string) => sayIfVerbose(`skillgate hint: ${message}`);
  try {
    const input = hookInput(await standardInput());
    const line = await hintFor(input, options, explain);
    if (line !== null) print(asHostTakesIt(line, input));
  } catch (error) {
    explain(messageOf(error));
  }
}

/** Plain text is the prompt itself. */
export function hookInput(text: string): HookInput {
  if (!/^\s*\{/.test(text)) return { prompt: text };
  try {
    const parsed = inputSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : { prompt: '' };
  } catch {
    // A prompt may begin with a brace.
    return { prompt: text };
  }
}

async function hintFor(
  { prompt, cwd }: HookInput,
  options: HintOptions,
  explain: (message: string) => void,
): Promise<string | null> {
  const query = prompt.slice(0, PROMPT_CHARACTERS).trim();
  if (query === '') return null;
  // A command of the host, such as /clear.
  if (/^\/[\w:-]+(\s|$)/.test(query)) return null;
  const environment = processEnvironment();
  const settings = await settingsOf(
    options,
    cwd !== undefined && isAbsolute(cwd) ? { ...environment, cwd } : environment,
  );
  const open = await openIndexed(settings);
  if (open === null) {
    explain(`There is no index in ${settings.indexFolder} yet: skillgate index makes one.`);
    return null;
  }
  try {
    const answer = await search({ query, limit: NAMED }, open.index);
    explain(
      `fit ${answer.fit?.toFixed(2) ?? 'unknown'} among ${answer.searched} skills, as indexed at ${open.writtenAt.toISOString()}.`,
    );
    return lineFor(answer, options.minFit ?? SPEAK_FROM);
  } finally {
    open.close();
  }
}

/** Null where the fit is too low. Skills that were deleted since they were indexed are left out. */
export function lineFor({ fit, hits }: Pick<SearchAnswer, 'fit' | 'hits'>, minFit: number): string | null {
  if (fit === null || fit < minFit) return null;
  const ids = hits
    .filter(({ entry }) => PLAIN_ID.test(entry.id) && existsSync(join(entry.folder, entry.file)))
    .map(({ entry }) => entry.id);
  return ids.length === 0
    ? null
    : `Skills that may fit: ${ids.join(', ')}. Load one with load_skill or search with search_skills.`;
}

/** A host that names its event takes JSON; text goes into the prompt as it is. */
function asHostTakesIt(line: string, { hook_event_name: event }: HookInput): string {
  return event === undefined
    ? line
    : JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: line } });
}

/** Rejects where nothing arrives in time. */
async function standardInput(): Promise<string> {
  const late = setTimeout(() => process.stdin.destroy(new Error('No prompt arrived.')), INPUT_MS);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of process.stdin) {
      const part = Buffer.from(chunk);
      chunks.push(part);
      bytes += part.length;
      if (bytes > INPUT_BYTES) break;
    }
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(chunks).toString('utf8');
}
