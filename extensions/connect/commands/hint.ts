/**
 * `skillgate hint`: a line for the prompt hook of a host that names the skills that may fit a prompt, or nothing.
 *
 * It runs before every prompt, so it never fails one: every outcome is exit code 0, and reasons go to stderr with --verbose
 * only. It answers from the index as it is, without looking at the folders; where there is none yet, it starts one that goes on in
 * the background, and waits a moment for it. The prompt is written nowhere: the audit log, where
 * one is configured, gets what was found. Where something is pinned, the first line of a session names it.
 */

import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { processEnvironment } from '../../../src/app/configured.ts';
import type { CommonOptions, Settings } from '../../../src/app/extension-api.ts';
import { readSettings } from '../../../src/app/settings.ts';
import { errorMessage } from '../../../src/base/errors.ts';
import { readRegularSync } from '../../../src/base/files/read.ts';
import { replaceFile } from '../../../src/base/files/replace.ts';
import { parseJson } from '../../../src/base/json.ts';
import { counted } from '../../../src/base/text.ts';
import { indexDirectory } from '../../../src/catalog/index-directory.ts';
import { type Pinned, pinnedIn } from '../../../src/catalog/pinned.ts';
import { withAudit } from '../../../src/cli/commands/with-gateway.ts';
import { printText, sayIfVerbose } from '../../../src/cli/output.ts';
import { LOCAL } from '../../../src/gateway/policy/principal.ts';
import { HINT_SKILLS, hintFit, hintLine, parseQuery, pinnedLine } from '../../../src/mcp/prompt-lines.ts';
import { search } from '../../../src/search/search.ts';
import { type OpenIndex, openIndexed } from '../open-indexed.ts';

/** Bytes of standard input that are read. */
const INPUT_BYTES = 4 * 2 ** 20;
/** Longest time without a piece of standard input, ms. */
const INPUT_MS = 1_000;

export interface HintOptions extends CommonOptions {
  /** 0–1. */
  readonly minFit?: number;
}

/** What Claude Code, Codex and Gemini CLI give to a hook. All members that it does not name are ignored. */
const inputSchema = z.object({
  prompt: z.string(),
  cwd: z.string().optional(),
  hook_event_name: z.string().max(100).optional(),
  session_id: z.string().max(1_000).optional(),
});
type HookInput = z.infer<typeof inputSchema>;

/** Never rejects. */
export async function hint(options: HintOptions): Promise<void> {
  const explain = (message: string) => sayIfVerbose(`skillgate hint: ${message}`);
  try {
    const input = hookInput(await standardInput());
    const line = await hintFor(input, options, explain);
    if (line !== null) printText(asHostTakesIt(line, input));
  } catch (error) {
    explain(errorMessage(error));
  }
}

/** Plain text is the prompt itself. */
function hookInput(text: string): HookInput {
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
  { prompt, cwd, session_id: session }: HookInput,
  options: HintOptions,
  explain: (message: string) => void,
): Promise<string | null> {
  const query = parseQuery(prompt);
  if (query === null) explain('Not searched: a reply of a few words, or a command of the host.');
  // Most prompts need no settings.
  if (query === null && session === undefined) return null;
  const environment = processEnvironment();
  const place = cwd !== undefined && isAbsolute(cwd) ? cwd : environment.cwd;
  const settings = await readSettings(options, { ...environment, cwd: place });
  const pins = session === undefined ? [] : settings.config.pinned;
  if (query === null && pins.length === 0) return null;
  const open = (await openIndexed(settings)) ?? (await openNewIndex(settings, place));
  if (open === null) {
    explain(`There is no index in ${settings.indexFolder} yet: it is being made in the background.`);
    return null;
  }
  try {
    const { reader } = open.index;
    const pinned =
      session !== undefined && pins.length > 0 && isFirstPrompt(settings.cacheFolder, session)
        ? pinnedLine(stillThere(pinnedIn(reader, pins)))
        : undefined;
    if (query === null) return pinned ?? null;
    const answer = await withAudit(settings.config, async (audit) => {
      const end = audit?.observe({ name: 'hint', principal: LOCAL, request: {} });
      const found = await search({ query, limit: HINT_SKILLS }, open.index);
      end?.({ outcome: 'ok', ms: found.tookMs, result: found });
      return found;
    });
    const minFit = hintFit(query, options.minFit);
    const isLow = answer.fit === null || answer.fit < minFit;
    explain(
      `fit ${answer.fit?.toFixed(2) ?? 'unknown'} among ${counted(answer.searched, 'skill')}, as indexed at ${open.writtenAt.toISOString()}${isLow ? `. Nothing is printed below ${minFit}` : ''}.`,
    );
    const line = hintLine(answer, minFit);
    return pinned === undefined ? line : [pinned, line ?? []].flat().join('\n');
  } finally {
    open.close();
  }
}

/** Longest wait for an index that did not exist, ms. */
const FIRST_INDEX_MS = 1_000;

/** Makes an index, in a process that outlives this one; null where that takes too long, or another process is at it. */
async function openNewIndex(settings: Settings, cwd: string): Promise<OpenIndex | null> {
  const { indexFolder } = settings;
  mkdirSync(indexFolder, { recursive: true });
  try {
    const unlock = await indexDirectory(indexFolder).lock(0);
    await unlock();
  } catch {
    return null;
  }
  const child = spawn(process.execPath, [process.argv[1]!, 'index', ...indexOptions(process.argv.slice(2))], {
    cwd,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.unref();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), FIRST_INDEX_MS);
  await once(child, 'close', { signal: late.signal }).catch(() => {});
  clearTimeout(timer);
  return openIndexed(settings);
}

/** The options of this command that `index` has too. */
const indexOptions = (args: readonly string[]): readonly string[] =>
  args.filter(
    (arg, at) =>
      arg !== 'hint' && arg !== '--verbose' && !arg.startsWith('--min-fit') && args[at - 1] !== '--min-fit',
  );

const stillThere = (pinned: Pinned | undefined) =>
  pinned && {
    ...pinned,
    skills: pinned.skills.filter(({ folder, file }) => existsSync(join(folder, file))),
  };

/** A host that names its event takes JSON; text goes into the prompt as it is. */
function asHostTakesIt(line: string, { hook_event_name: event }: HookInput): string {
  return event === undefined
    ? line
    : JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: line } });
}

/** Rejects where nothing arrives in time. */
async function standardInput(): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isOver = false;
  let late: NodeJS.Timeout;
  const wait = () => {
    late = setTimeout(giveUp, INPUT_MS, bytes);
  };
  // On a busy machine the process may have been asleep: what waits in the pipe is read after timers, before `setImmediate`.
  const giveUp = (seen: number) =>
    setImmediate(() => {
      if (isOver) return;
      if (bytes > seen) wait();
      else process.stdin.destroy(new Error('No prompt arrived.'));
    });
  wait();
  try {
    for await (const chunk of process.stdin) {
      const part = Buffer.from(chunk);
      chunks.push(part);
      bytes += part.length;
      if (bytes > INPUT_BYTES) break;
    }
  } finally {
    isOver = true;
    clearTimeout(late!);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Sessions that are remembered. */
const SESSIONS = 200;
const FILE = 'hint-sessions.json';
const MAX_BYTES = 100_000;

const digests = z.array(z.string().max(64)).max(SESSIONS);

/** True once for each session. Throws a system error where it cannot be written. */
export function isFirstPrompt(cacheFolder: string, session: string): boolean {
  const file = join(cacheFolder, FILE);
  const digest = hash('sha256', session).slice(0, 16);
  const known = readDigests(file);
  if (known.includes(digest)) return false;
  mkdirSync(cacheFolder, { recursive: true });
  replaceFile(file, JSON.stringify([...known, digest].slice(-SESSIONS)), 0o600);
  return true;
}

function readDigests(file: string): readonly string[] {
  try {
    return (
      digests.safeParse(parseJson(Buffer.from(readRegularSync(file, MAX_BYTES)).toString('utf8'))).data ?? []
    );
  } catch {
    return [];
  }
}
