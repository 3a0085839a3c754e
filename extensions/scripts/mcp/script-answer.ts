/** The result of a script run on the wire: structured content for programs, text for models, links for files. */

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { bare, clip, count, counted } from '../../../src/base/text.ts';
import { type ScriptOutcome, succeeded } from '../../../src/gateway/scripts.ts';

/** Most characters of each output stream in an answer, to leave room in the conversation. */
const SHOWN = 30_000;
/** Characters from the end of each output in a failure of a draft. */
const TAIL = 2_000;
const LISTED = 100;

export const outcomeSchema = z.object({
  skill: z.string(),
  digest: z.string().describe('SHA-256 over all files of the skill that was run'),
  script: z.string(),
  exit_code: z.int().nullable().describe('null if it was killed'),
  signal: z.string().nullable(),
  killed_by: z
    .enum(['wall-time', 'cpu-time', 'memory', 'entries', 'output', 'cancelled'])
    .nullable()
    .describe('Why it was killed'),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean().describe('Output was cut'),
  json: z.unknown().optional().describe('Standard output, if it is JSON'),
  files: z.array(z.object({ path: z.string(), uri: z.string(), size: z.int(), mime_type: z.string() })),
  left_out: z.array(z.object({ path: z.string(), reason: z.string() })).optional(),
  refused_domains: z
    .array(z.object({ domain: z.string(), reason: z.string() }))
    .optional()
    .describe('Domains that it was not allowed to reach'),
  duration_ms: z.int(),
  cpu_ms: z.int(),
  peak_bytes: z.int(),
});

/** `isOutputFirst`: for tools whose clients take the first block for the script's output. */
export function toToolResult(outcome: ScriptOutcome, isOutputFirst = false): CallToolResult {
  return {
    content: isOutputFirst ? outputFirst(outcome) : toContent(outcome),
    structuredContent: toStructured(outcome),
    ...(!succeeded(outcome) && { isError: true }),
  };
}

function toStructured(outcome: ScriptOutcome): z.infer<typeof outcomeSchema> {
  const { stdout, stderr, json, leftOut, traffic } = outcome;
  const cut = stdout.length > SHOWN || stderr.length > SHOWN;
  return {
    skill: outcome.skill,
    digest: outcome.digest,
    script: outcome.path,
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    killed_by: outcome.killedBy,
    stdout: shown(stdout),
    stderr: shown(stderr),
    truncated: outcome.truncated || cut,
    ...(json !== undefined && stdout.length <= SHOWN && { json }),
    files: outcome.files
      .slice(0, LISTED)
      .map(({ path, uri, size, mimeType }) => ({ path, uri, size, mime_type: mimeType })),
    ...(leftOut.length > 0 && { left_out: leftOut.slice(0, LISTED).map((each) => ({ ...each })) }),
    ...(traffic.refused.length > 0 && { refused_domains: traffic.refused.map((each) => ({ ...each })) }),
    duration_ms: outcome.durationMs,
    cpu_ms: outcome.cpuMs,
    peak_bytes: outcome.peakBytes,
  };
}

/** The same blocks with standard output first, also where it is empty: what clients of `execute` take for the result. */
export function outputFirst(outcome: ScriptOutcome): ContentBlock[] {
  const [summary, ...others] = toContent({ ...outcome, stdout: '' });
  return [{ type: 'text', text: shown(outcome.stdout) }, summary!, ...others];
}

/** A summary, then a block per stream: what a script prints cannot pass for text of the gateway. */
function toContent(outcome: ScriptOutcome): ContentBlock[] {
  const { stdout, stderr, files, leftOut, wanted, traffic } = outcome;
  const lines = [
    exitSentence(outcome),
    ...(outcome.truncated || stdout.length > SHOWN || stderr.length > SHOWN ? ['The output was cut.'] : []),
    ...files
      .slice(0, LISTED)
      .map(({ path, uri, size }) => `file ${bare(path)} (${counted(size, 'byte')}): ${uri}`),
    ...(wanted.length > 0 && !succeeded(outcome)
      ? [
          `The skill says that it needs ${wanted.slice(0, 5).map(bare).join(', ')}, which scripts may not reach here.`,
        ]
      : []),
    ...traffic.refused.slice(0, 5).map(({ domain, reason }) => `not reached ${bare(domain)}: ${reason}`),
    ...leftOut.slice(0, 5).map(({ path, reason }) => `left out ${bare(clip(path, 120))}: ${reason}`),
  ];
  return [
    { type: 'text', text: lines.join('\n') },
    ...(stdout === '' ? [] : [{ type: 'text' as const, text: shown(stdout) }]),
    ...(stderr === '' ? [] : [{ type: 'text' as const, text: `stderr:\n${shown(stderr)}` }]),
    ...files.slice(0, LISTED).map(({ path, uri, size, mimeType }) => ({
      type: 'resource_link' as const,
      uri,
      name: path,
      mimeType,
      size,
    })),
  ];
}

/** One sentence on how the run ended. */
export function exitSentence({ path, exitCode, signal, killedBy, durationMs }: ScriptOutcome): string {
  const took = `after ${count(durationMs)} ms`;
  if (killedBy !== null) return `${bare(path)} was stopped ${took}: ${REASONS[killedBy]}.`;
  if (exitCode === null) return `${bare(path)} was stopped by ${signal ?? 'a signal'} ${took}.`;
  return `${bare(path)} ended with exit code ${exitCode} ${took}.`;
}

const REASONS: Record<NonNullable<ScriptOutcome['killedBy']>, string> = {
  'wall-time': 'it exceeded its time limit',
  'cpu-time': 'it exceeded its CPU time limit',
  memory: 'it exceeded its memory limit',
  entries: 'it exceeded its limit of files',
  output: 'it exceeded its output limit',
  cancelled: 'it was cancelled',
};

/** The end of an output, where programs report what went wrong. */
export const lastPart = (output: string) => output.slice(-TAIL).toWellFormed();

const shown = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text);
